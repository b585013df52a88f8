#include "apiserver/front/front.h"

#include "apiserver/answer/status.h"
#include "apiserver/request/route.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace front {

// Until there are roles, only administrators get in.
constexpr std::string_view kAdministrators = "system:masters";

Status forbidden(const User& user, const http::RequestHead& head, const http::Target& target) {
  return {Reason::kForbidden, "forbidden: User \"" + user.name + "\" cannot " +
                                  to_lower(head.method) + " path \"" + target.raw_path + "\""};
}

}  // namespace front

void Front::handle(http::ExchangePtr exchange) {
  const http::RequestHead& head = exchange->request();
  Result<http::Target> target = http::parse_target(head.target);
  if (!target) {
    exchange->respond(status_response(target.status()));
    return;
  }
  for (PathHandler* paths : paths_) {
    if (!paths->open_to_all(*target)) continue;
    if (auto response = paths->answer(head, *target)) {
      exchange->respond(std::move(*response));
      return;
    }
  }
  const std::string_view accept = head.headers.get("accept");
  const std::shared_ptr<const User> user = identities_.of(exchange->peer());
  if (user == nullptr) {
    exchange->respond(status_response({Reason::kUnauthorized, "Unauthorized"}, accept));
    return;
  }
  if (!user->in_group(front::kAdministrators)) {
    exchange->respond(status_response(front::forbidden(*user, head, *target), accept));
    return;
  }
  Result<std::optional<Route>> route = find_route(*target);
  if (!route) {
    exchange->respond(status_response(route.status(), accept));
    return;
  }
  if (*route) {
    resources_.handle(exchange, *target, **route, *user);
    return;
  }
  for (PathHandler* paths : paths_) {
    if (auto response = paths->answer(head, *target)) {
      exchange->respond(std::move(*response));
      return;
    }
  }
  exchange->respond(
      status_response({Reason::kNotFound, "the server could not find the requested resource"}));
}

}  // namespace proa::apiserver
