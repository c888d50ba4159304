/** A section that never comes to an outcome. */
process.exit(7);
