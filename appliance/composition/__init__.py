"""The composition root: each part built once and handed what it needs. `app` starts and stops what stands here."""
