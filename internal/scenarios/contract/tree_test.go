package contract_test

const treeVariable = "CONTRACT_TREE"

func playTree(string) error { return nil }
