"""Questions and texts in Japanese, as the researcher over the corpus reads them."""
