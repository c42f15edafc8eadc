"""truegrade."""
