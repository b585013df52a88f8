package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Custom resources: their kind has a schema of its own, one version, and no defaults; objects stay as they are written.
type custom struct {
	builtin map[string]*spec.Schema
	// By the text of the schema.
	converters map[string]managedfields.TypeConverter
}

func (c *custom) converter(kind schema.GroupVersionKind, model json.RawMessage) (managedfields.TypeConverter, error) {
	if known, ok := c.converters[string(model)]; ok {
		return known, nil
	}
	made := &spec.Schema{}
	if err := json.Unmarshal(model, made); err != nil {
		return nil, err
	}
	made.AddExtension("x-kubernetes-group-version-kind", []any{
		map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind}})
	models := map[string]*spec.Schema{"example.Custom": made}
	for name, found := range c.builtin {
		models[name] = found
	}
	converter, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		return nil, err
	}
	c.converters[string(model)] = converter
	return converter, nil
}

// What kube-apiserver's handler of custom resources gives the field manager.
type customObjects struct{}

func (customObjects) Convert(in, out, context any) error { return errors.New("not converted") }
func (customObjects) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (customObjects) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (customObjects) Default(runtime.Object) {}
func (customObjects) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	made := &unstructured.Unstructured{Object: map[string]any{}}
	made.SetGroupVersionKind(kind)
	return made, nil
}

func (c *custom) write(live *unstructured.Unstructured, s *step, seq *sequence) (*unstructured.Unstructured, error) {
	version, err := schema.ParseGroupVersion(s.APIVersion)
	if err != nil {
		return nil, err
	}
	kind := version.WithKind(seq.Kind)
	converter, err := c.converter(kind, seq.Model)
	if err != nil {
		return nil, err
	}
	reset, err := resetSets(seq.Reset[s.Subresource])
	if err != nil {
		return nil, err
	}
	objects := customObjects{}
	manager, err := managedfields.NewDefaultCRDFieldManager(converter, objects, objects, objects, kind, version, s.Subresource,
		fieldpath.NewExcludeFilterSetMap(reset))
	if err != nil {
		return nil, err
	}
	if live == nil {
		live = &unstructured.Unstructured{Object: map[string]any{}}
		live.SetGroupVersionKind(kind)
	}
	object := &unstructured.Unstructured{Object: map[string]any{}}
	if err := object.UnmarshalJSON(s.Object); err != nil {
		return nil, err
	}
	if s.Op == "apply" {
		made, err := manager.Apply(live, object, s.Manager, s.Force)
		if err != nil {
			return nil, err
		}
		return made.(*unstructured.Unstructured), nil
	}
	return manager.UpdateNoErrors(live, object, s.Manager).(*unstructured.Unstructured), nil
}

func (c *custom) run(seq *sequence) ([]answer, error) {
	answers := []answer{}
	var live *unstructured.Unstructured
	for i := range seq.Steps {
		s := &seq.Steps[i]
		var given *unstructured.Unstructured
		if live != nil {
			given = live.DeepCopy()
		}
		object, err := c.write(given, s, seq)
		if err != nil {
			answers = append(answers, failure(err))
			continue
		}
		live = object
		if err := settle(live, start.Add(time.Duration(i)*time.Minute)); err != nil {
			return nil, err
		}
		text, err := live.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("%w in write %d", err, i)
		}
		answers = append(answers, answer{Object: text})
	}
	return answers, nil
}
