#include "apiserver/front/tracing/configuration.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "api/object/view.h"
#include "api/validation/field_errors.h"
#include "base/strings.h"
#include "json/yaml.h"

namespace proa::apiserver::tracing {
namespace configuration {

using api::View;

constexpr std::string_view kGroup = "apiserver.config.k8s.io/";
constexpr std::array<std::string_view, 3> kVersions = {"v1", "v1beta1", "v1alpha1"};
constexpr std::string_view kDefaultEndpoint = "localhost:4317";
constexpr int64_t kMillion = 1'000'000;
constexpr int kHttpsPort = 443;  // gRPC's, if the endpoint has none

Status wrong(const std::string& message) { return {Reason::kInvalid, message}; }

Status undecodable(const std::string& why) {
  return wrong("unable to decode tracing configuration data: " + why);
}

Result<void> check_fields(View document, const std::vector<std::string>& duplicates) {
  std::vector<std::string> errors = duplicates;
  for (const json::Member& member : document.members()) {
    constexpr std::array<std::string_view, 4> kKnown = {"apiVersion", "kind", "endpoint",
                                                        "samplingRatePerMillion"};
    if (std::ranges::find(kKnown, member.key) == kKnown.end())
      errors.push_back("unknown field \"" + std::string(member.key) + "\"");
  }
  if (errors.empty()) return {};
  return undecodable("strict decoding error: " + join(errors, ", "));
}

Result<void> check_kind(View document) {
  const std::string_view version = document["apiVersion"].text();
  const std::string_view kind = document["kind"].text();
  const bool known = version.starts_with(kGroup) &&
                     std::ranges::find(kVersions, version.substr(kGroup.size())) != kVersions.end();
  if (known && kind == "TracingConfiguration") return {};
  return undecodable("no kind \"" + std::string(kind) + "\" is registered for version \"" +
                     std::string(version) + "\"");
}

// "host:port", "[::1]:port", or a host alone.
Result<http::Origin> read_address(std::string_view text) {
  http::Origin origin{.port = kHttpsPort, .protocol = http::HttpProtocol::kHttp2};
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return wrong("missing ']' in address");
    origin.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
  } else {
    const size_t colon = text.rfind(':');
    origin.host = text.substr(0, colon);
    if (colon != std::string_view::npos) port = text.substr(colon);
  }
  if (origin.host.empty()) origin.host = "localhost";  // as gRPC
  if (port.empty()) return origin;
  port.remove_prefix(1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), origin.port);
  const bool whole = error == std::errc() && end == port.data() + port.size();
  if (!whole || origin.port <= 0 || origin.port > 65535) return wrong("invalid port");
  return origin;
}

// gRPC's names: "host:port", "dns:///host:port", "dns://server/host:port", "unix:///run/x.sock",
// "unix:relative", "unix-abstract:name".
Result<http::Origin> read_endpoint(std::string_view endpoint) {
  const size_t slashes = endpoint.find("//");
  const std::string_view scheme =
      slashes == std::string_view::npos ? "" : endpoint.substr(0, endpoint.find(':'));
  const auto unix_socket = [](std::string_view path) {
    http::Origin origin = http::Origin::unix_socket(std::string(path));
    origin.protocol = http::HttpProtocol::kHttp2;
    return origin;
  };
  if (endpoint.starts_with("unix://")) return unix_socket(endpoint.substr(7));
  if (endpoint.starts_with("unix:")) return unix_socket(endpoint.substr(5));
  if (endpoint.starts_with("unix-abstract:"))
    return wrong("sockets of the scheme unix-abstract are not supported; use unix");
  if (scheme.empty()) return read_address(endpoint);
  if (scheme != "dns") {
    return wrong("unsupported scheme: " + std::string(scheme) +
                 ".  Options are none, dns, unix, or unix-abstract.  See "
                 "https://github.com/grpc/grpc/blob/master/doc/naming.md");
  }
  const std::string_view rest = endpoint.substr(slashes + 2);
  const size_t path = rest.find('/');
  return read_address(path == std::string_view::npos ? rest : rest.substr(path + 1));
}

}  // namespace configuration

Result<Configuration> read_configuration(std::string_view text) {
  using namespace configuration;  // NOLINT: of this file only
  std::vector<std::string> duplicates;
  const Result<json::Document> document = json::parse_yaml(text, {.duplicates = &duplicates});
  if (!document) return undecodable(document.status().message());
  const View root = document->root();
  TRY(check_kind(root));
  TRY(check_fields(root, duplicates));
  const View rate = root["samplingRatePerMillion"];
  const View endpoint = root["endpoint"];
  if (rate.exists() && !rate.is(json::Kind::kInt))
    return undecodable("samplingRatePerMillion must be an integer");
  if (endpoint.exists() && !endpoint.is(json::Kind::kString))
    return undecodable("endpoint must be a string");
  api::FieldErrors errors;
  if (rate.integer() < 0)
    errors.invalid(api::Path("samplingRatePerMillion"), rate, "sampling rate must be positive");
  if (rate.integer() > kMillion) {
    errors.invalid(api::Path("samplingRatePerMillion"), rate,
                   "sampling rate per million must be less than or equal to one million");
  }
  const Result<http::Origin> collector = read_endpoint(endpoint.text(kDefaultEndpoint));
  if (!collector) errors.invalid(api::Path("endpoint"), endpoint, collector.status().message());
  if (!errors.empty()) {
    const std::vector<std::string> texts = errors.texts();
    const std::string all = join(texts, ", ");
    return wrong("failed to validate tracing configuration: " +
                 (texts.size() == 1 ? all : "[" + all + "]"));
  }
  return Configuration{.collector = *collector,
                       .sampled_per_million = static_cast<uint32_t>(rate.integer())};
}

}  // namespace proa::apiserver::tracing
