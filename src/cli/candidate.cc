#include "cli/candidate.h"

#include <unistd.h>

namespace proa::cli {

std::string candidate_name(Random& random) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return std::string(host) + "_" + make_uid(random);
}

}  // namespace proa::cli
