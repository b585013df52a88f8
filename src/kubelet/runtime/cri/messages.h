#pragma once

#include "api/object/view.h"
#include "kubelet/runtime/cri/runtime.h"

// CRI messages as structs. Missing fields read as zero, as in protobuf.

namespace proa::kubelet::cri {

// A PodSandbox, or a PodSandboxStatus, which also has addresses.
Sandbox read_sandbox(api::View message);
// A Container, or a ContainerStatus, which has more fields.
Container read_container(api::View message);
Image read_image(api::View message);
// A StatusResponse.
RuntimeReadiness read_readiness(api::View message);
// A FilesystemUsage.
FilesystemUse read_filesystem(api::View message);

// An ExecSyncResponse in its wire encoding: its outputs are bytes and may be long; a document would
// hold them in base64. Failures are kInternalError.
Result<ExecResult> read_exec_result(std::string_view message);

}  // namespace proa::kubelet::cri
