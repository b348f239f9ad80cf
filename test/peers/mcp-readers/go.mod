module gatehouse.example/mcp-readers

go 1.21
