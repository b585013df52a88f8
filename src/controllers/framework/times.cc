#include "controllers/framework/times.h"

namespace proa::controllers {

std::optional<Time> time_of(api::View text) {
  const Result<Time> time = parse_time(text.text());
  return time ? std::optional(*time) : std::nullopt;
}

Time creation_of(api::View object) {
  return time_of(object["metadata"]["creationTimestamp"]).value_or(Time{});
}

}  // namespace proa::controllers
