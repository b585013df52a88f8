// An oracle of server-side apply: upstream's field manager, over upstream's types.
//
//	apply schema      prints how each type of the API is merged, one line a type or field
//	apply sequences   reads a sequence of writes per line, and answers with a line: what each of them made of the object
//
// Each write is carried out as kube-apiserver would before admission: decoded, defaulted, given to the field manager.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// A write: `op` is create, update, merge, strategic or apply; `object` is the patch of merge and strategic.
type step struct {
	Op          string          `json:"op"`
	APIVersion  string          `json:"apiVersion"`
	Manager     string          `json:"manager"`
	Subresource string          `json:"subresource"`
	Force       bool            `json:"force"`
	Object      json.RawMessage `json:"object"`
}

type sequence struct {
	Kind string `json:"kind"`
	// Fields that a write cannot change, as JSON of a field set, by subresource and version.
	Reset map[string]map[string]json.RawMessage `json:"reset"`
	// The openAPIV3Schema of a CustomResourceDefinition; absent for the API's own kinds.
	Schema json.RawMessage `json:"schema"`
	Steps  []step          `json:"steps"`
}

type answer struct {
	Object json.RawMessage `json:"object,omitempty"`
	Code   int32           `json:"code,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Writes happen one minute apart, whenever the program runs.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

type oracle struct {
	converter managedfields.TypeConverter
}

func resetSets(texts map[string]json.RawMessage) (map[fieldpath.APIVersion]*fieldpath.Set, error) {
	reset := map[fieldpath.APIVersion]*fieldpath.Set{}
	for version, text := range texts {
		set := &fieldpath.Set{}
		if err := json.Unmarshal(text, &jsonSet{set}); err != nil {
			return nil, err
		}
		reset[fieldpath.APIVersion(version)] = set
	}
	return reset, nil
}

func failure(err error) answer {
	a := answer{Error: err.Error()}
	if status, ok := err.(errors.APIStatus); ok {
		a.Code = status.Status().Code
	}
	return a
}

func (o *oracle) manager(kind schema.GroupVersionKind, subresource string, seq *sequence) (*managedfields.FieldManager, error) {
	reset, err := resetSets(seq.Reset[subresource])
	if err != nil {
		return nil, err
	}
	scheme := legacyscheme.Scheme
	return managedfields.NewDefaultFieldManager(o.converter, scheme, scheme, scheme, kind, hubOf(kind), subresource,
		fieldpath.NewExcludeFilterSetMap(reset))
}

func hubOf(kind schema.GroupVersionKind) schema.GroupVersion {
	return schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal}
}

func (o *oracle) write(live runtime.Object, s *step, seq *sequence) (runtime.Object, error) {
	version, err := schema.ParseGroupVersion(s.APIVersion)
	if err != nil {
		return nil, err
	}
	kind := version.WithKind(seq.Kind)
	manager, err := o.manager(kind, s.Subresource, seq)
	if err != nil {
		return nil, err
	}
	if live == nil {
		if live, err = legacyscheme.Scheme.New(kind); err != nil {
			return nil, err
		}
	}
	if s.Op == "apply" {
		applied := &unstructured.Unstructured{Object: map[string]any{}}
		if err := applied.UnmarshalJSON(s.Object); err != nil {
			return nil, err
		}
		return manager.Apply(live, applied, s.Manager, s.Force)
	}
	var object runtime.Object
	if isPatch(s.Op) {
		object, err = patched(live.DeepCopyObject(), s, kind)
	} else {
		object, err = runtime.Decode(legacyscheme.Codecs.UniversalDecoder(hubOf(kind)), s.Object)
	}
	if err != nil {
		return nil, err
	}
	return manager.UpdateNoErrors(live, object, s.Manager), nil
}

// Sets what the storage would: an identity, and the time of the write.
func settle(object runtime.Object, at time.Time) error {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	accessor.SetUID(types.UID("u"))
	entries := accessor.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && time.Since(entries[i].Time.Time) < time.Hour {
			now := metav1.NewTime(at)
			entries[i].Time = &now
		}
	}
	accessor.SetManagedFields(entries)
	return nil
}

// As the object comes back from the storage: what is empty is not there.
func stored(object runtime.Object, apiVersion string) (runtime.Object, error) {
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	text, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(version), object)
	if err != nil {
		return nil, err
	}
	hub := hubOf(version.WithKind(""))
	return runtime.Decode(legacyscheme.Codecs.UniversalDecoder(hub), text)
}

func (o *oracle) run(seq *sequence) ([]answer, error) {
	answers := []answer{}
	var live runtime.Object
	for i := range seq.Steps {
		s := &seq.Steps[i]
		// The field manager changes what it is given, even if it fails.
		var given runtime.Object
		if live != nil {
			given = live.DeepCopyObject()
		}
		object, err := o.write(given, s, seq)
		if err != nil {
			answers = append(answers, failure(err))
			continue
		}
		if live, err = stored(object, s.APIVersion); err != nil {
			return nil, err
		}
		if err := settle(live, start.Add(time.Duration(i)*time.Minute)); err != nil {
			return nil, err
		}
		version, err := schema.ParseGroupVersion(s.APIVersion)
		if err != nil {
			return nil, err
		}
		text, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(version), live)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer{Object: text})
	}
	return answers, nil
}

func runSequences() error {
	found, err := models()
	if err != nil {
		return err
	}
	converter, err := managedfields.NewTypeConverter(found, false)
	if err != nil {
		return err
	}
	o := &oracle{converter: converter}
	c := &custom{converters: map[string]managedfields.TypeConverter{}}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	for in.Scan() {
		seq := &sequence{}
		if err := json.Unmarshal(in.Bytes(), seq); err != nil {
			return err
		}
		run := o.run
		if seq.Schema != nil {
			run = c.run
		}
		answers, err := run(seq)
		if err != nil {
			return fmt.Errorf("%w in %s", err, in.Text())
		}
		text, err := json.Marshal(answers)
		if err != nil {
			return err
		}
		out.Write(text)
		out.WriteByte('\n')
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return in.Err()
}

func main() {
	mode := ""
	if len(os.Args) == 2 {
		mode = os.Args[1]
	}
	var err error
	switch mode {
	case "schema":
		err = printSchema()
	case "sequences":
		err = runSequences()
	default:
		err = fmt.Errorf("usage: apply schema|sequences")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
