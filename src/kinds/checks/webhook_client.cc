#include "kinds/checks/webhook_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/certificate.h"
#include "crypto/pem.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace webhook_client {

constexpr std::string_view kForm = "; desired format: https://host[/path]";

// The parts of a URL that are checked; absent parts are empty.
struct Url {
  std::string_view scheme, user, host, query, fragment;
  bool has_user = false;
};

// Cuts the part after `mark` off the text.
std::string_view cut(std::string_view& text, char mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view after = text.substr(at + 1);
  text = text.substr(0, at);
  return after;
}

Url parse(std::string_view text) {
  Url url;
  url.fragment = cut(text, '#');
  url.query = cut(text, '?');
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos &&
      text.substr(0, colon).find('/') == std::string_view::npos) {
    url.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (!text.starts_with("//")) return url;
  text = text.substr(2, text.find('/', 2) - 2);
  const size_t at = text.rfind('@');
  url.has_user = at != std::string_view::npos;
  if (url.has_user) {
    url.user = text.substr(0, at);
    text.remove_prefix(at + 1);
  }
  url.host = text;
  return url;
}

// Go's validOptionalPort: digits, of any value; what is no port of TCP fails when it is called.
std::string port_problem(std::string_view host) {
  const bool address = host.starts_with('[');
  const size_t end = host.rfind(address ? ']' : ':');
  if (end == std::string_view::npos) return address ? "missing ']' in host" : "";
  const std::string_view port = host.substr(address ? end + 1 : end);
  const bool digits =
      port.starts_with(':') &&
      std::all_of(port.begin() + 1, port.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (port.empty() || digits) return "";
  return fmt::format("invalid port {} after host", api::quoted(port));
}

// What Go's url.Parse rejects.
std::string parse_problem(std::string_view text) {
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control) {
    return fmt::format("parse {}: net/url: invalid control character in URL", api::quoted(text));
  }
  if (text.starts_with(':')) {
    return fmt::format("parse {}: missing protocol scheme", api::quoted(text));
  }
  const std::string_view host = parse(text).host;
  const std::string problem = port_problem(host);
  if (!problem.empty()) return fmt::format("parse {}: {}", api::quoted(text), problem);
  if (host.find(' ') != std::string_view::npos) {
    return fmt::format("parse {}: invalid character \" \" in host name", api::quoted(text));
  }
  return {};
}

void validate_url(std::string_view text, const api::Path& path, api::FieldErrors& errors) {
  const std::string problem = parse_problem(text);
  if (!problem.empty()) {
    return errors.required(path, fmt::format("url must be a valid URL: {}{}", problem, kForm));
  }
  const Url url = parse(text);
  if (to_lower(url.scheme) != "https") {
    errors.invalid(path, url.scheme,
                   fmt::format("'https' is the only allowed URL scheme{}", kForm));
  }
  if (url.host.empty()) {
    errors.invalid(path, url.host, fmt::format("host must be specified{}", kForm));
  }
  if (url.has_user) {
    errors.invalid(path, url.user, "user information is not permitted in the URL");
  }
  if (!url.fragment.empty()) {
    errors.invalid(path, url.fragment, "fragments are not permitted in the URL");
  }
  if (!url.query.empty()) {
    errors.invalid(path, url.query, "query parameters are not permitted in the URL");
  }
}

void validate_url_path(std::string_view text, const api::Path& path, api::FieldErrors& errors) {
  if (text.empty() || text == "/") return;
  if (text == "//") return errors.invalid(path, text, "segment[0] may not be empty");
  if (!text.starts_with('/')) errors.invalid(path, text, "must start with a '/'");
  std::string_view rest = text.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  size_t index = 0;
  for (const std::string_view step : split(rest, '/')) {
    const size_t number = index++;
    if (step.empty()) {
      errors.invalid(path, text, fmt::format("segment[{}] may not be empty", number));
      continue;
    }
    for (const std::string& problem : api::check_dns1123_subdomain(step)) {
      errors.invalid(path, text, fmt::format("segment[{}]: {}", number, problem));
    }
  }
}

void validate_service(View service, const api::Path& path, api::FieldErrors& errors) {
  // The callers of upstream's ValidateWebhookService swap name and namespace, so the message names
  // the other one.
  if (service["namespace"].text().empty()) errors.required(path.field("name"));
  if (service["name"].text().empty()) errors.required(path.field("namespace"));
  const int64_t port = service["port"].integer();
  const api::Problems problems = api::check_port_number(port);
  if (!problems.empty()) {
    errors.invalid(path.field("port"), port, "port is not valid: " + join(problems, ", "));
  }
  if (service["path"]) validate_url_path(service["path"].text(), path.field("path"), errors);
}

}  // namespace webhook_client

void validate_webhook_client(View client, const api::Path& path, api::FieldErrors& errors) {
  const View url = client["url"];
  const View service = client["service"];
  if (url.exists() == service.exists()) {
    errors.required(path, "exactly one of url or service is required");
  } else if (url) {
    webhook_client::validate_url(url.text(), path.field("url"), errors);
  } else {
    webhook_client::validate_service(service, path.field("service"), errors);
  }
}

std::string ca_bundle_problem(std::string_view bundle) {
  const auto bytes = from_base64(bundle);
  std::string_view rest = bytes ? std::string_view(*bytes) : std::string_view();
  constexpr std::string_view kProblem = "unable to load root certificates: ";
  std::string first;
  while (!rest.empty()) {
    const std::optional<crypto::PemBlock> block = crypto::next_pem_block(rest);
    if (!block) {
      if (first.empty()) first = "unable to parse bytes as PEM block";
      break;
    }
    if (block->type != "CERTIFICATE" || block->has_headers) continue;
    // One certificate is enough.
    if (crypto::Certificate::parse_der(block->bytes).ok()) return {};
    if (first.empty()) first = "failed to parse certificate: x509: malformed certificate";
  }
  if (first.empty()) first = "no valid certificate authority data seen";
  return std::string(kProblem) + first;
}

void validate_ca_bundle(View client, const api::Path& path, api::FieldErrors& errors) {
  const View bundle = client["caBundle"];
  if (bundle.text().empty()) return;
  const std::string problem = ca_bundle_problem(bundle.text());
  if (!problem.empty()) errors.invalid(path.field("caBundle"), bundle.text(), problem);
}

void validate_review_versions(View versions, std::string_view required, const api::Path& path,
                              api::FieldErrors& errors, bool known) {
  if (versions.empty()) return errors.required(path, required);
  std::set<std::string_view> seen;
  each(versions, path, [&](View version, const api::Path& at) {
    if (!seen.insert(version.text()).second) {
      return errors.invalid(at, version.text(), "duplicate version");
    }
    check_text(version, api::check_dns1035_label, at, errors);
  });
  if (known && !seen.contains("v1") && !seen.contains("v1beta1")) {
    errors.invalid(path, versions, "must include at least one of v1, v1beta1");
  }
}

}  // namespace proa::kinds
