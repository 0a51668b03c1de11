"""Three-way merge of one file by its definitions, where its lines conflict."""
