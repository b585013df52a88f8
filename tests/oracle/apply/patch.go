package main

import (
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// Patches that are no applies, as kube-apiserver's handlers carry them out (jsonPatcher, smpPatcher).

func isPatch(op string) bool { return op == "merge" || op == "strategic" }

func patched(live runtime.Object, s *step, kind schema.GroupVersionKind) (runtime.Object, error) {
	if s.Op == "merge" {
		return mergePatched(live, s, kind)
	}
	return strategicPatched(live, s, kind)
}

func mergePatched(live runtime.Object, s *step, kind schema.GroupVersionKind) (runtime.Object, error) {
	text, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(kind.GroupVersion()), live)
	if err != nil {
		return nil, err
	}
	changed, err := jsonpatch.MergePatch(text, s.Object)
	if err != nil {
		return nil, err
	}
	return runtime.Decode(legacyscheme.Codecs.UniversalDecoder(hubOf(kind)), changed)
}

func strategicPatched(live runtime.Object, s *step, kind schema.GroupVersionKind) (runtime.Object, error) {
	scheme := legacyscheme.Scheme
	versioned, err := scheme.ConvertToVersion(live, kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	original, err := runtime.DefaultUnstructuredConverter.ToUnstructured(versioned)
	if err != nil {
		return nil, err
	}
	patch := map[string]any{}
	if err := json.Unmarshal(s.Object, &patch); err != nil {
		return nil, err
	}
	changed, err := strategicpatch.StrategicMergeMapPatch(original, patch, versioned)
	if err != nil {
		return nil, err
	}
	updated, err := scheme.New(kind)
	if err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(changed, updated); err != nil {
		return nil, err
	}
	scheme.Default(updated)
	return scheme.ConvertToVersion(updated, hubOf(kind))
}
