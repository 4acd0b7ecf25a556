//! Checks that need more than one key (skeleton; the loader's author replaces this).
