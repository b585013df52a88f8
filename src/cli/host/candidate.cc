#include "cli/host/candidate.h"

#include <unistd.h>

namespace proa::cli {
namespace candidate {

std::string on_this_host(const std::string& mark) { return host_name() + "_" + mark; }

}  // namespace candidate

std::string host_name() {
  char host[256] = "";
  return gethostname(host, sizeof host - 1) == 0 ? host : "";
}

client::Candidate unique_candidate(Random& random) {
  return {.identity = candidate::on_this_host(make_uid(random))};
}

client::Candidate candidate_of_store(const std::string& store_id) {
  return {.identity = candidate::on_this_host(store_id),
          .is_gone = [mark = "_" + store_id](std::string_view holder) {
            return holder.ends_with(mark);
          }};
}

}  // namespace proa::cli
