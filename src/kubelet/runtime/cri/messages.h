#pragma once

#include "api/object/view.h"
#include "kubelet/runtime/cri/runtime.h"

// CRI's messages as what they mean. Fields that are not there read as zero, as protobuf has it.

namespace proa::kubelet::cri {

// A PodSandbox, or a PodSandboxStatus, which has addresses.
Sandbox read_sandbox(api::View message);
// A Container, or a ContainerStatus, which says more.
Container read_container(api::View message);
Image read_image(api::View message);
// A StatusResponse.
RuntimeReadiness read_readiness(api::View message);
// A FilesystemUsage.
FilesystemUse read_filesystem(api::View message);

// An ExecSyncResponse as it is on the wire: its outputs are bytes and may be long, which a document
// would hold in base64. Failures are kInternalError.
Result<ExecResult> read_exec_result(std::string_view message);

}  // namespace proa::kubelet::cri
