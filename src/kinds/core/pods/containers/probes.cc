#include "kinds/core/pods/containers/probes.h"

#include <fmt/format.h>

namespace proa::kinds::pods {

namespace probes {

void check_http_get(View action, const Path& path, FieldErrors& errors) {
  require_text(action, "path", path, errors);
  check_port(action["port"], path.field("port"), errors);
  if (!contains({"HTTP", "HTTPS"}, action["scheme"].text()))
    errors.not_supported(path.field("scheme"), action["scheme"].text(), {"HTTP", "HTTPS"});
  for (const View header : action["httpHeaders"].items())
    check_text(header["name"], api::check_http_header_name, path.field("httpHeaders"), errors);
}

void check_sleep(View action, View grace_period, const Path& path, FieldErrors& errors) {
  const int64_t seconds = action["seconds"].integer();
  if (!grace_period.exists() || (seconds >= 0 && seconds <= grace_period.integer())) return;
  errors.invalid(
      path, seconds,
      fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})",
                  grace_period.integer()));
}

void check_action(std::string_view kind, View action, View grace_period, const Path& path,
                  FieldErrors& errors) {
  if (kind == "exec") {
    if (action["command"].empty()) errors.required(path.field("command"));
  } else if (kind == "httpGet") {
    check_http_get(action, path, errors);
  } else if (kind == "sleep") {
    check_sleep(action, grace_period, path, errors);
  } else {
    check_port(action["port"], path.field("port"), errors);
  }
}

// Exactly one of the actions.
void check_handler(View handler, View grace_period, const Path& path, FieldErrors& errors) {
  bool found = false;
  for (const std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    if (!handler[kind].exists()) continue;
    if (found) {
      errors.forbidden(path.field(kind), "may not specify more than 1 handler type");
    } else {
      check_action(kind, handler[kind], grace_period, path.field(kind), errors);
    }
    found = true;
  }
  if (!found) errors.required(path, "must specify a handler type");
}

void check_probe(View probe, View grace_period, const Path& path, FieldErrors& errors) {
  check_handler(probe, grace_period, path, errors);
  for (const std::string_view number : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                        "successThreshold", "failureThreshold"}) {
    check_not_negative(probe[number], path.field(number), errors);
  }
  const View own_period = probe["terminationGracePeriodSeconds"];
  if (own_period.exists() && own_period.integer() <= 0) {
    errors.invalid(path.field("terminationGracePeriodSeconds"), own_period.integer(),
                   "must be greater than 0");
  }
}

}  // namespace probes

void validate_probes(View container, View grace_period, const Path& path, FieldErrors& errors) {
  const Path lifecycle = path.field("lifecycle");
  for (const std::string_view moment : {"postStart", "preStop"}) {
    const View handler = container["lifecycle"][moment];
    if (handler.exists())
      probes::check_handler(handler, grace_period, lifecycle.field(moment), errors);
  }
  for (const std::string_view kind : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const View probe = container[kind];
    if (!probe.exists()) continue;
    const Path at = path.field(kind);
    probes::check_probe(probe, grace_period, at, errors);
    if (kind != "readinessProbe") {
      if (probe["successThreshold"].integer() != 1) {
        errors.invalid(at.field("successThreshold"), probe["successThreshold"].integer(),
                       "must be 1");
      }
    } else if (const View period = probe["terminationGracePeriodSeconds"]; period.exists()) {
      errors.invalid(at.field("terminationGracePeriodSeconds"), period,
                     "must not be set for readinessProbes");
    }
  }
}

}  // namespace proa::kinds::pods
