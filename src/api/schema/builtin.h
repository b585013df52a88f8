#pragma once

#include "api/schema/parse.h"

namespace proa::api {

// The files of schema/ with the Kubernetes API, embedded in the program.
std::span<const SchemaFile> builtin_schema_files();

// All Kubernetes types that this program knows. Parsed on first use.
const Schema& builtin_schema();

// The messages of CRI ("runtime.v1.ContainerConfig") and of containerd's events. Not part of the
// API, so not in OpenAPI; parsed only where a kubelet runs.
const Schema& cri_schema();

// The messages of etcd ("etcdserverpb.TxnRequest"). As those of CRI; parsed only where the store is
// on etcd.
const Schema& etcd_schema();

}  // namespace proa::api
