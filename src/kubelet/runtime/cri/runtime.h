#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/object/names.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/time.h"
#include "json/value.h"

namespace proa::kubelet::cri {

using Labels = std::map<std::string, std::string, std::less<>>;

enum class SandboxState : uint8_t { kReady = 0, kNotReady = 1 };
enum class ContainerState : uint8_t { kCreated = 0, kRunning = 1, kExited = 2, kUnknown = 3 };

// A sandbox of the runtime. From a list it has no addresses.
struct Sandbox {
  std::string id = {};
  std::string name = {};
  std::string name_space = {};
  api::Uid uid = {};
  uint32_t attempt = 0;
  SandboxState state = SandboxState::kNotReady;
  Time created = {};
  std::string runtime_handler = {};
  std::vector<std::string> addresses = {};  // the first is the pod's own; none with hostNetwork
  Labels labels = {};
  Labels annotations = {};
};

// The user of a container's init process.
struct ContainerUser {
  int64_t uid = 0;
  int64_t gid = 0;
  std::vector<int64_t> supplemental_groups = {};
};

// The resources that the runtime enforces for a container. Zero: no limit, or unknown.
struct ContainerResources {
  int64_t cpu_period = 0;
  int64_t cpu_quota = 0;
  int64_t cpu_shares = 0;
  int64_t memory_limit = 0;
};

// From a list it has only its creation time, no exit status and no mounted images.
struct Container {
  std::string id = {};
  std::string sandbox_id = {};  // from lists only
  std::string name = {};
  uint32_t attempt = 0;
  ContainerState state = ContainerState::kUnknown;
  Time created = {};
  Time started = {};
  Time finished = {};
  int exit_code = 0;
  std::string image = {};      // as it was asked for
  std::string image_ref = {};  // the digest it resolved to
  std::string image_id = {};
  // Images that it mounts, as they were asked for.
  std::vector<std::string> mounted_images = {};
  std::string reason = {};   // "OOMKilled", "Error", "Completed"
  std::string message = {};  // from the runtime, if the start failed
  std::string log_path = {};
  Labels labels = {};
  Labels annotations = {};
  std::optional<ContainerUser> user = {};
  std::optional<ContainerResources> resources = {};
  std::string stop_signal = {};  // "SIGTERM"
};

struct ExecResult {
  std::string output = {};
  std::string errors = {};
  int exit_code = 0;
};

struct RuntimeVersion {
  std::string name = {};     // "containerd"
  std::string version = {};  // "1.6.20"
  std::string api_version = {};
};

struct RuntimeHandler {
  std::string name = {};
  bool recursive_read_only_mounts = false;
  bool user_namespaces = false;
};

// Readiness of runtime and network. Empty messages: ready.
struct RuntimeReadiness {
  bool runtime_ready = false;
  std::string runtime_reason = {};
  std::string runtime_message = {};
  bool network_ready = false;
  std::string network_reason = {};
  std::string network_message = {};
  std::vector<RuntimeHandler> handlers = {};
  bool supplemental_groups_policy = false;
};

struct Image {
  std::string id = {};                    // "sha256:..."
  std::vector<std::string> tags = {};     // "docker.io/proa/hello:1"
  std::vector<std::string> digests = {};  // "docker.io/proa/hello@sha256:..."
  int64_t size = 0;
  std::optional<int64_t> uid = {};  // numeric user of the image
  std::string user_name = {};       // if the image has a name instead
  bool pinned = false;
};

// Credentials for a pull. Empty: anonymous.
struct PullCredentials {
  std::string user = {};
  std::string password = {};
  std::string auth = {};  // both in base64, as in docker's configuration
  std::string server = {};
  std::string identity_token = {};
  std::string registry_token = {};
};

struct FilesystemUse {
  std::string mountpoint = {};
  int64_t used_bytes = 0;
  int64_t inodes_used = 0;
};

// Empty fields select everything.
struct ContainerFilter {
  std::string id = {};
  std::string sandbox_id = {};
  api::Uid pod_uid = {};
};

struct StreamChoices {
  bool tty = false;
  bool input = false;
  bool output = false;
  bool errors = false;
};

// The container runtime of this node: CRI v1. Configurations (PodSandboxConfig, ContainerConfig,
// LinuxContainerResources) are documents of the types in schema/cri_v1.schema, with CRI's JSON
// names. From any thread that is not a loop's; every call blocks. What does not exist is kNotFound.
class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual Result<RuntimeVersion> version(const Until& until) = 0;
  virtual Result<RuntimeReadiness> readiness(const Until& until) = 0;
  virtual Result<void> set_pod_cidr(const std::string& cidr, const Until& until) = 0;

  virtual Result<std::string> run_sandbox(const json::Value& config, const std::string& handler,
                                          const Until& until) = 0;
  // Kills its containers and removes its network. One that does not exist is no failure.
  virtual Result<void> stop_sandbox(const std::string& id, const Until& until) = 0;
  virtual Result<void> remove_sandbox(const std::string& id, const Until& until) = 0;
  virtual Result<Sandbox> sandbox(const std::string& id, const Until& until) = 0;
  // All, or those of one pod.
  virtual Result<std::vector<Sandbox>> sandboxes(api::UidView pod_uid, const Until& until) = 0;

  virtual Result<std::string> create_container(const std::string& sandbox_id,
                                               const json::Value& config,
                                               const json::Value& sandbox_config,
                                               const Until& until) = 0;
  virtual Result<void> start_container(const std::string& id, const Until& until) = 0;
  // Sends the stop signal, and SIGKILL after `grace`. A container that does not exist is no
  // failure.
  virtual Result<void> stop_container(const std::string& id, Duration grace,
                                      const Until& until) = 0;
  virtual Result<void> remove_container(const std::string& id, const Until& until) = 0;
  virtual Result<Container> container(const std::string& id, const Until& until) = 0;
  virtual Result<std::vector<Container>> containers(const ContainerFilter& filter,
                                                    const Until& until) = 0;
  virtual Result<void> update_resources(const std::string& id, const json::Value& resources,
                                        const Until& until) = 0;
  // REQUIRES: its log file was moved away.
  virtual Result<void> reopen_log(const std::string& id, const Until& until) = 0;

  // kTimeout if it takes longer than `timeout` (zero: no limit).
  virtual Result<ExecResult> exec(const std::string& id, const std::vector<std::string>& command,
                                  Duration timeout, const Until& until) = 0;
  // A URL of the runtime's streaming server for one upgrade request.
  virtual Result<std::string> exec_url(const std::string& id,
                                       const std::vector<std::string>& command,
                                       const StreamChoices& choices, const Until& until) = 0;
  virtual Result<std::string> attach_url(const std::string& id, const StreamChoices& choices,
                                         const Until& until) = 0;
  virtual Result<std::string> port_forward_url(const std::string& sandbox_id,
                                               const std::vector<int32_t>& ports,
                                               const Until& until) = 0;

  // Null if it does not exist.
  virtual Result<std::optional<Image>> image(const std::string& reference, const Until& until) = 0;
  virtual Result<std::vector<Image>> images(const Until& until) = 0;
  // Returns the reference that it resolved to.
  virtual Result<std::string> pull_image(const std::string& reference,
                                         const PullCredentials& credentials,
                                         const json::Value& sandbox_config, const Until& until) = 0;
  virtual Result<void> remove_image(const std::string& reference, const Until& until) = 0;
  virtual Result<std::vector<FilesystemUse>> image_filesystems(const Until& until) = 0;
};

}  // namespace proa::kubelet::cri
