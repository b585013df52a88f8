#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::kubelet {

// A file of a volume whose content comes from the API server.
struct ContentFile {
  std::string data = {};
  mode_t mode = 0644;
  std::optional<uid_t> owner = {};  // root if absent

  bool operator==(const ContentFile&) const = default;
};
using Payload = std::map<std::string, ContentFile, std::less<>>;  // by path in the volume

// The same with normalized paths ("a//b/." becomes "a/b"). kBadRequest, in upstream's words, for
// paths that leave the volume or collide with ours.
Result<Payload> checked_payload(const Payload& payload);

// Several failures as one, in upstream's form: "[first, second]"; each once. REQUIRES: not empty.
Status all_failures(const std::vector<Status>& failures);

}  // namespace proa::kubelet
