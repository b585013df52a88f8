#include "apiserver/streaming/streams/kubelet_target.h"

#include <fmt/format.h>

#include <array>

#include "api/validation/field_errors.h"
#include "base/strings.h"
#include "base/time.h"

namespace proa::apiserver {
namespace kubelet_targets {

using api::FieldErrors;
using api::Path;

constexpr std::array<std::string_view, 3> kLists = {"initContainers", "containers",
                                                    "ephemeralContainers"};

bool has_container(api::View pod, std::string_view name) {
  for (const std::string_view list : kLists) {
    for (const api::View container : pod["spec"][list].items()) {
      if (container["name"].text() == name) return true;
    }
  }
  return false;
}

std::string all_containers(api::View pod) {
  std::string names;
  for (const std::string_view list : kLists) {
    for (const api::View container : pod["spec"][list].items()) {
      if (!names.empty()) names += ' ';
      names += container["name"].text();
    }
  }
  return names;
}

std::string_view parameter(const http::Target& target, std::string_view name) {
  const std::string* found = target.find(name);
  return found == nullptr ? std::string_view() : std::string_view(*found);
}

void add(std::string& query, std::string_view name, std::string_view value) {
  query += query.empty() ? "?" : "&";
  query += name;
  query += "=";
  query += http::percent_encode(value);
}

Status no_number(std::string_view text, std::string_view why) {
  return {Reason::kBadRequest, fmt::format("{}: parsing \"{}\": invalid syntax", why, text)};
}

Result<std::optional<int64_t>> number(const http::Target& target, std::string_view name) {
  const std::string* text = target.find(name);
  if (text == nullptr) return std::optional<int64_t>();
  const std::optional<int64_t> found = parse_int(*text);
  if (!found) return no_number(*text, "strconv.ParseInt");
  return found;
}

// Parses and validates log options (ValidatePodLogOptions).
struct LogOptions {
  std::optional<int64_t> tail_lines = {};
  std::optional<int64_t> limit_bytes = {};
  std::optional<int64_t> since_seconds = {};
  std::optional<Time> since = {};

  static Result<LogOptions> read(const http::Target& target) {
    LogOptions found;
    found.tail_lines = TRY(number(target, "tailLines"));
    found.limit_bytes = TRY(number(target, "limitBytes"));
    found.since_seconds = TRY(number(target, "sinceSeconds"));
    if (const std::string_view text = parameter(target, "sinceTime"); !text.empty()) {
      const Result<Time> time = parse_time(text);
      if (!time) return Status(Reason::kBadRequest, time.status().message());
      found.since = *time;
    }
    return found;
  }

  void check(const http::Target& target, FieldErrors& errors) const {
    if (tail_lines && *tail_lines < 0) {
      errors.invalid(Path("tailLines"), *tail_lines, "must be greater than or equal to 0");
    }
    if (limit_bytes && *limit_bytes < 1) {
      errors.invalid(Path("limitBytes"), *limit_bytes, "must be greater than 0");
    }
    if (since_seconds && since) {
      errors.forbidden(Path(""), "at most one of `sinceTime` or `sinceSeconds` may be specified");
    } else if (since_seconds && *since_seconds < 1) {
      errors.invalid(Path("sinceSeconds"), *since_seconds, "must be greater than 0");
    }
    // Behind a gate that upstream disables (PodLogsQuerySplitStreams).
    if (target.find("stream")) errors.forbidden(Path("stream"), "may not be specified");
  }
};

Result<std::string> log_query(const http::Target& target, std::string_view pod) {
  const LogOptions options = TRY(LogOptions::read(target));
  FieldErrors errors;
  options.check(target, errors);
  if (!errors.empty()) return errors.to_status("", "PodLogOptions", pod);
  std::string query;
  for (const std::string_view name : {"follow", "previous", "timestamps"}) {
    if (stream_flag(target, name)) add(query, name, "true");
  }
  const auto add_number = [&](std::string_view name, std::optional<int64_t> value) {
    if (value) add(query, name, std::to_string(*value));
  };
  add_number("sinceSeconds", options.since_seconds);
  if (options.since) add(query, "sinceTime", format_time(*options.since));
  add_number("tailLines", options.tail_lines);
  add_number("limitBytes", options.limit_bytes);
  return query;
}

// exec and attach parameters have other names on the kubelet.
std::string stream_query(const http::Target& target, bool with_command) {
  std::string query;
  if (stream_flag(target, "stdin")) add(query, "input", "1");
  if (stream_flag(target, "stdout")) add(query, "output", "1");
  if (stream_flag(target, "stderr")) add(query, "error", "1");
  if (stream_flag(target, "tty")) add(query, "tty", "1");
  for (const auto& [name, value] : target.query) {
    if (with_command && name == "command") add(query, name, value);
  }
  return query;
}

// Each parameter may have several ports, separated by commas.
Result<std::string> port_query(const http::Target& target) {
  std::string ports;
  for (const auto& [name, value] : target.query) {
    if (name != "ports") continue;
    for (const std::string_view text : split(value, ',')) {
      const std::optional<uint64_t> port = parse_uint(text);
      if (!port) return no_number(text, "cannot convert to []int32: strconv.ParseUint");
      if (*port > 65535) {
        return Status(Reason::kBadRequest,
                      fmt::format("cannot convert to []int32: strconv.ParseUint: parsing \"{}\": "
                                  "value out of range",
                                  text));
      }
      if (!ports.empty()) ports += ',';
      ports += std::to_string(*port);
    }
  }
  std::string query;
  if (!ports.empty()) add(query, "port", ports);
  return query;
}

}  // namespace kubelet_targets

bool stream_flag(const http::Target& target, std::string_view name) {
  const std::string* found = target.find(name);
  return found != nullptr && *found != "0" && !equals_ignoring_case(*found, "false");
}

Result<std::string> choose_container(api::View pod, std::string_view wanted) {
  const std::string_view name = pod["metadata"]["name"].text();
  if (wanted.empty()) {
    const auto containers = pod["spec"]["containers"].items();
    if (containers.size() == 1) return std::string(api::View(containers[0])["name"].text());
    std::string message = fmt::format("a container name must be specified for pod {}", name);
    if (!containers.empty()) {
      message += fmt::format(", choose one of: [{}]", kubelet_targets::all_containers(pod));
    }
    return Status(Reason::kBadRequest, std::move(message));
  }
  if (!kubelet_targets::has_container(pod, wanted)) {
    return Status(Reason::kBadRequest,
                  fmt::format("container {} is not valid for pod {}", wanted, name));
  }
  return std::string(wanted);
}

Result<KubeletTarget> kubelet_target(const Request& request, const http::Target& target,
                                     api::View pod) {
  using namespace kubelet_targets;
  const std::string_view part = request.subresource->name;
  const std::string place = fmt::format("{}/{}", request.name_space, request.name);
  if (part == "portforward") {
    const std::string query = TRY(port_query(target));
    return KubeletTarget{.text = "/portForward/" + place + query};
  }
  if (part == "log") {
    const std::string query = TRY(log_query(target, request.name));
    const std::string container = TRY(choose_container(pod, parameter(target, "container")));
    return KubeletTarget{.text = "/containerLogs/" + place + "/" + container + query,
                         .verified = !stream_flag(target, "insecureSkipTLSVerifyBackend")};
  }
  const std::string container = TRY(choose_container(pod, parameter(target, "container")));
  return KubeletTarget{.text = fmt::format("/{}/{}/{}{}", part, place, container,
                                           stream_query(target, part == "exec"))};
}

}  // namespace proa::apiserver
