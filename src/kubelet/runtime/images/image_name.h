#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::kubelet {

// A reference to an image, as the runtimes read it.
struct ImageName {
  std::string repository = {};  // in full: "docker.io/library/busybox"
  std::string tag = {};
  std::string digest = {};  // "sha256:..."
  // As it was written, with ":latest" where it has neither tag nor digest: what the runtime is
  // asked for. Short names stay short, for its own rules.
  std::string reference = {};
  std::string written_repository = {};  // as it was written, without tag and digest
};

// kBadRequest for what is no reference, in upstream's words: `couldn't parse image name "A":
// invalid reference format: repository name (library/A) must be lowercase`.
Result<ImageName> parse_image_name(std::string_view image);

}  // namespace proa::kubelet
