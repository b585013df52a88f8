#include "apiserver/front/fairness/debug_paths.h"

namespace proa::apiserver::fairness {
namespace debug_paths {

constexpr std::string_view kLevels = "/debug/api_priority_and_fairness/dump_priority_levels";
constexpr std::string_view kQueues = "/debug/api_priority_and_fairness/dump_queues";
constexpr std::string_view kRequests = "/debug/api_priority_and_fairness/dump_requests";

}  // namespace debug_paths

bool DebugPaths::takes_long(const http::Target& target) const {
  const std::string path = path_of(target);
  return path == debug_paths::kLevels || path == debug_paths::kQueues ||
         path == debug_paths::kRequests;
}

std::optional<http::Response> DebugPaths::answer(const http::RequestHead&, const http::Target&) {
  return std::nullopt;
}

void DebugPaths::answer_long(const http::ExchangePtr& exchange, const http::Target& target) {
  exchange->respond(text_response(200, dump(target)));
}

std::string DebugPaths::dump(const http::Target& target) const {
  const std::string path = path_of(target);
  if (path == debug_paths::kLevels) return control_.dump_levels();
  if (path == debug_paths::kQueues) return control_.dump_queues();
  const std::string* details = target.find("includeRequestDetails");
  return control_.dump_requests(details != nullptr && !details->empty());
}

}  // namespace proa::apiserver::fairness
