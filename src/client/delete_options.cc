#include "client/delete_options.h"

#include "json/print.h"

namespace proa::client {
namespace delete_options {

std::string_view propagation_name(api::Propagation propagation) {
  switch (propagation) {
    case api::Propagation::kBackground:
      return "Background";
    case api::Propagation::kForeground:
      return "Foreground";
    case api::Propagation::kOrphan:
      return "Orphan";
    case api::Propagation::kUnsupported:
      break;
  }
  return "";
}

void member(std::string& out, std::string_view name, std::string_view value) {
  if (out.back() != '{') out += ',';
  out.append("\"").append(name).append("\":");
  json::print_string_to(out, value);
}

}  // namespace delete_options

std::string delete_options_json(const RemoveChoices& choices) {
  constexpr std::string_view kHead = R"({"kind":"DeleteOptions","apiVersion":"v1")";
  std::string out(kHead);
  if (choices.grace_seconds) {
    out += ",\"gracePeriodSeconds\":" + std::to_string(*choices.grace_seconds);
  }
  if (choices.uid || choices.resource_version) {
    out += ",\"preconditions\":{";
    if (choices.uid) delete_options::member(out, "uid", *choices.uid);
    if (choices.resource_version) {
      delete_options::member(out, "resourceVersion", *choices.resource_version);
    }
    out += '}';
  }
  if (choices.propagation) {
    delete_options::member(out, "propagationPolicy",
                           delete_options::propagation_name(*choices.propagation));
  }
  if (choices.dry_run) out += R"(,"dryRun":["All"])";
  if (out.size() == kHead.size()) return {};
  return out + "}";
}

}  // namespace proa::client
