"""Files of data: readers that keep positions, and shapes that say what the data may hold."""
