//! Turns a few lines into the files, commands and corpora that tests need.
