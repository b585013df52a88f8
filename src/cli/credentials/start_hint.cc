#include "cli/credentials/start_hint.h"

namespace proa::cli {
namespace start_hints {

struct Sign {
  const char* file;
  const char* hint;
};
// The first one that exists decides.
constexpr Sign kSigns[] = {{"/tls/kubelet.crt", "`proa up`"},
                           {"/tls/authority.crt", "`proa server`"},
                           {"/kubelet/pki/authority.crt", "`proa node`"}};

}  // namespace start_hints

std::string start_hint(Files& files, const std::string& data_dir) {
  for (const start_hints::Sign& sign : start_hints::kSigns) {
    const auto there = files.exists(data_dir + sign.file);
    if (there.ok() && *there) return sign.hint;
  }
  return "`proa up` or `proa server`";
}

}  // namespace proa::cli
