#include "kinds/core/volumes/local_path.h"

#include "crypto/digest.h"

namespace proa::kinds {
namespace local_path {

constexpr size_t kMaxLabelValue = 63;

}  // namespace local_path

std::string local_path_label(std::string_view node) {
  if (node.size() <= local_path::kMaxLabelValue) return std::string(node);
  return crypto::sha256(node).hex().substr(0, local_path::kMaxLabelValue);
}

}  // namespace proa::kinds
