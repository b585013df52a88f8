#include "apiserver/front/audit/events/event.h"

namespace proa::apiserver::audit {

size_t RequestFacts::bytes() const {
  size_t total = sizeof(*this) + audit_id.size() + uri.size() + verb.size() + forwarded_for.size() +
                 real_ip.size() + peer.size() + user_agent.size();
  if (object) {
    total += object->resource.size() + object->name_space.size() + object->name.size() +
             object->group.size() + object->version.size() + object->subresource.size();
  }
  return total;
}

size_t Event::bytes() const {
  // Members of a map are nodes of their own.
  constexpr size_t kNodeBytes = 96;
  size_t total = sizeof(*this) + request->bytes() + status.size() + body.size +
                 request_object.size() + patch.size() + (access ? access->reason.size() : 0);
  for (const auto& [key, value] : annotations) total += kNodeBytes + key.size() + value.size();
  return total;
}

}  // namespace proa::apiserver::audit
