//go:build tools

// Package operator names the program that is built from the modules in go.mod.
package operator

import (
	_ "github.com/prometheus-operator/prometheus-operator/cmd/operator"
	_ "github.com/prometheus-operator/prometheus-operator/example"
)
