#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::kubelet {

// A file of a volume whose content comes from the API.
struct ContentFile {
  std::string data = {};
  mode_t mode = 0644;
  std::optional<uid_t> owner = {};  // root, where there is none

  bool operator==(const ContentFile&) const = default;
};
using Payload = std::map<std::string, ContentFile, std::less<>>;  // by their path in the volume

// The same with plain paths ("a//b/." is "a/b"). kBadRequest for those that would leave the volume
// or could be mistaken for our own, in upstream's words.
Result<Payload> checked_payload(const Payload& payload);

// Several failures as one, in upstream's form: "[first, second]"; each once. REQUIRES: not empty.
Status all_failures(const std::vector<Status>& failures);

}  // namespace proa::kubelet
