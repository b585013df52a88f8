package main

import (
	_ "unsafe" // for go:linkname

	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
)

// How upstream's plugins compile policies is not exported; everything else is. The empty compile.s
// allows functions without a body.

//go:linkname compileValidating k8s.io/apiserver/pkg/admission/plugin/policy/validating.compilePolicy
func compileValidating(policy *validating.Policy) validating.Validator

//go:linkname compileMutating k8s.io/apiserver/pkg/admission/plugin/policy/mutating.compilePolicy
func compileMutating(policy *mutating.Policy) mutating.PolicyEvaluator
