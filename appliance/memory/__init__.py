"""Memory: Markdown is the truth, SQLite is the index. workspace (files) · items (captured lines) · index · search."""
