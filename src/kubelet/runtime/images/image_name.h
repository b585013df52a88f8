#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::kubelet {

// An image reference, parsed as runtimes do.
struct ImageName {
  std::string repository = {};  // in full: "docker.io/library/busybox"
  std::string tag = {};
  std::string digest = {};  // "sha256:..."
  // As written, with ":latest" if it has neither tag nor digest: what the runtime is asked for.
  // Short names stay short; the runtime has its own rules for them.
  std::string reference = {};
  std::string written_repository = {};  // as written, without tag and digest
};

// kBadRequest for an invalid reference, in upstream's words: `couldn't parse image name "A":
// invalid reference format: repository name (library/A) must be lowercase`.
Result<ImageName> parse_image_name(std::string_view image);

}  // namespace proa::kubelet
