#pragma once

#include "api/schema/parse.h"

namespace proa::api {

// The files of schema/ that state the API of Kubernetes, which the program carries inside.
std::span<const SchemaFile> builtin_schema_files();

// All types of Kubernetes that this program knows. Read once, by whoever asks first.
const Schema& builtin_schema();

// What kubelets speak with container runtimes: the messages of CRI ("runtime.v1.ContainerConfig")
// and of containerd's events. In no API, so in no OpenAPI; read only where a kubelet runs.
const Schema& cri_schema();

}  // namespace proa::api
