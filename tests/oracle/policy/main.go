// The oracle of admission policies: reads lines of JSON, each with ValidatingAdmissionPolicies or
// MutatingAdmissionPolicies, their bindings and params, and a write; takes the write through
// upstream's compiler, matcher and dispatcher; and answers one line of JSON each.
//
//	{"mutating": false, "policies": [...], "bindings": [...], "params": [...], "namespaces": [...],
//	 "operation": "CREATE", "resource": "pods", "object": {...}, "old": {...}}
//	{"code": 422, "reason": "Invalid", "message": "...", "causes": [...], "warnings": [...],
//	 "annotations": {...}, "object": {...}}
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/klog/v2"
)

type question struct {
	Mutating   bool              `json:"mutating"`
	Policies   []json.RawMessage `json:"policies"` // by name, as our server orders them
	Bindings   []json.RawMessage `json:"bindings"`
	Params     []json.RawMessage `json:"params"` // ConfigMaps
	Namespaces []json.RawMessage `json:"namespaces"`
	Operation  string            `json:"operation"`
	Group      string            `json:"group"`
	Resource   string            `json:"resource"`
	Object     json.RawMessage   `json:"object"` // absent for deletions
	Old        json.RawMessage   `json:"old"`    // absent for creates
}

type answer struct {
	Code        int32             `json:"code,omitempty"` // 0: it is admitted
	Reason      string            `json:"reason,omitempty"`
	Message     string            `json:"message,omitempty"`
	Causes      []string          `json:"causes,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Object      json.RawMessage   `json:"object,omitempty"`   // as mutating policies left it
	Failure     string            `json:"failure,omitempty"`  // upstream panics
	Unstable    bool              `json:"unstable,omitempty"` // depends on the order of a Go map
}

// More than once: what depends on the order of a map is not compared.
func ask(q *question, converter managedfields.TypeConverter) (answer, error) {
	const times = 3
	run, err := prepare(q, converter)
	if err != nil {
		return answer{}, err
	}
	first, err := askOnce(q, run)
	for i := 1; i < times && err == nil; i++ {
		var again answer
		again, err = askOnce(q, run)
		if !reflect.DeepEqual(first, again) {
			first.Unstable = true
			return first, nil
		}
	}
	return first, err
}

func run(in io.Reader, out *bufio.Writer) error {
	found, err := models()
	if err != nil {
		return err
	}
	converter, err := managedfields.NewTypeConverter(found, false)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		q := &question{}
		if err := json.Unmarshal(lines.Bytes(), q); err != nil {
			return err
		}
		a, err := ask(q, converter)
		if err != nil {
			return fmt.Errorf("%w in %s", err, lines.Text())
		}
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		out.Write(text)
		out.WriteByte('\n')
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

func main() {
	// Upstream logs what it rejects.
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	if err := run(os.Stdin, bufio.NewWriter(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}
