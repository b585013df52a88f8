#include "cli/host/candidate.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "crypto/digest.h"

namespace proa::cli {
namespace candidate {

std::string on_this_host(const std::string& mark) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return std::string(host) + "_" + mark;
}

}  // namespace candidate

std::string candidate_name(Random& random) { return candidate::on_this_host(make_uid(random)); }

std::string candidate_name(std::string_view data_dir) {
  constexpr size_t kEnough = 32;  // hex digits of a hash, enough to be unique
  char path[PATH_MAX];
  const std::string given(data_dir);
  const char* real = realpath(given.c_str(), path);
  const std::string sum = crypto::sha256(real == nullptr ? given.c_str() : real).hex();
  return candidate::on_this_host(sum.substr(0, kEnough));
}

}  // namespace proa::cli
