#include "kubelet/node/server/request_access.h"

#include <array>

namespace proa::kubelet {
namespace request_access {

struct Rule {
  std::string_view path;  // and everything below
  std::string_view subresource;
};
// In addition to what the others allow.
constexpr std::array<Rule, 4> kFine{{{"/pods", "pods"},
                                     {"/healthz", "healthz"},
                                     {"/configz", "configz"},
                                     {"/runningpods", "pods"}}};
// Instead of "proxy".
constexpr std::array<Rule, 6> kOwn{{{"/stats", "stats"},
                                    {"/metrics", "metrics"},
                                    {"/logs", "log"},
                                    {"/checkpoint", "checkpoint"},
                                    {"/statusz", "statusz"},
                                    {"/flagz", "configz"}}};

// These run something or reach into a pod: read permission must not suffice, even though a
// WebSocket starts with GET. (Upstream accepts "get" for those.)
constexpr std::array<std::string_view, 5> kActing{"/exec", "/attach", "/portForward", "/run",
                                                  "/tunnel"};

bool is_below(std::string_view path, std::string_view rule) {
  return path.starts_with(rule) && (path.size() == rule.size() || path[rule.size()] == '/');
}

std::string_view verb_of(std::string_view method, std::string_view path) {
  for (const std::string_view acting : kActing) {
    if (is_below(path, acting)) return "create";
  }
  if (method == "GET") return "get";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return {};
}

template <size_t Count>
bool add(std::string_view path, const std::array<Rule, Count>& rules, RequestAccess& access) {
  for (const Rule& rule : rules) {
    if (!is_below(path, rule.path)) continue;
    access.subresources.emplace_back(rule.subresource);
    return true;
  }
  return false;
}

}  // namespace request_access

RequestAccess access_for(std::string_view method, std::string_view path) {
  RequestAccess access{.verb = std::string(request_access::verb_of(method, path))};
  request_access::add(path, request_access::kFine, access);
  if (!request_access::add(path, request_access::kOwn, access)) {
    access.subresources.emplace_back("proxy");
  }
  return access;
}

}  // namespace proa::kubelet
