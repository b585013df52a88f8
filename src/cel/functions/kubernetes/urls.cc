#include "base/strings.h"
#include "cel/functions/kubernetes/go_url.h"
#include "cel/functions/tables.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace kubernetes_urls {

// Its texts lie in the arena: the object owns nothing.
class UrlValue final : public Opaque {
 public:
  UrlValue(Arena& arena, const GoUrl& url)
      : Opaque(kUrlType),
        scheme(arena.copy(url.scheme)),
        host(arena.copy(url.host)),
        escaped_path(arena.copy(url.escaped_path)),
        query(arena.copy(url.query)),
        text(arena.copy(url.text)) {}
  bool equals(const Opaque& other) const override {
    return text == static_cast<const UrlValue&>(other).text;
  }
  std::string print() const override { return std::string(text); }

  const std::string_view scheme;
  const std::string_view host;
  const std::string_view escaped_path;
  const std::string_view query;
  const std::string_view text;
};

const UrlValue& get(std::span<const Value> args) {
  return *static_cast<const UrlValue*>(args[0].as_opaque());
}

// Checked by ParseRequestURI, since that is what the format "uri" of schemas is; read by Parse,
// since the former takes fragments for a part of the path.
Value to_url(Context& context, std::span<const Value> args) {
  std::string error;
  std::optional<GoUrl> url = parse_url(args[0].text(), true, error);
  if (url) url = parse_url(args[0].text(), false, error);
  if (!url) return context.error("URL parse error during conversion from string: " + error);
  return context.opaque<UrlValue>(context.arena(), *url);
}
Value is_url(Context&, std::span<const Value> args) {
  std::string error;
  return Value::boolean(parse_url(args[0].text(), true, error).has_value());
}
Value scheme(Context&, std::span<const Value> args) { return Value::string(get(args).scheme); }
Value host(Context&, std::span<const Value> args) { return Value::string(get(args).host); }

// Where the port starts, at its colon; the end of the text if there is none.
size_t port_position(std::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos) return host.size();
  const bool digits = host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  return digits ? colon : host.size();
}
Value hostname(Context&, std::span<const Value> args) {
  std::string_view name = get(args).host;
  name = name.substr(0, port_position(name));
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return Value::string(name);
}
Value port(Context&, std::span<const Value> args) {
  const std::string_view name = get(args).host;
  const size_t position = port_position(name);
  return Value::string(position == name.size() ? std::string_view() : name.substr(position + 1));
}
Value escaped_path(Context&, std::span<const Value> args) {
  return Value::string(get(args).escaped_path);
}

// Go's url.Values: parts that are malformed are left out.
Value query(Context& context, std::span<const Value> args) {
  constexpr size_t kMostParameters = 10'000;  // Go's urlmaxqueryparams
  const std::vector<std::string_view> parts = split(get(args).query, '&');
  MapBuilder builder(context.arena(), 4);
  if (parts.size() > kMostParameters) return builder.build();
  for (const std::string_view part : parts) {
    if (part.empty() || part.find(';') != std::string_view::npos) continue;
    const size_t equals = part.find('=');
    const std::optional<std::string> key = unescape_query(part.substr(0, equals));
    const std::optional<std::string> value =
        unescape_query(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    if (!key || !value) continue;
    const Value name = context.string(*key);
    const Value item = context.string(*value);
    Value list = make_list(context.arena(), std::span(&item, 1));
    if (const std::optional<Value> before = builder.find_value(name)) {
      list = concatenate(context.arena(), *before, list);
    }
    builder.set(name, list);
  }
  return builder.build();
}

#define PROA_CEL_URL "kubernetes.URL"

constexpr FunctionRow kRows[] = {
    {"url", "string_to_url", "(string) -> " PROA_CEL_URL, to_url},
    {"isURL", "is_url_string", "(string) -> bool", is_url},
    {"getScheme", "url_get_scheme", PROA_CEL_URL ".() -> string", scheme},
    {"getHost", "url_get_host", PROA_CEL_URL ".() -> string", host},
    {"getHostname", "url_get_hostname", PROA_CEL_URL ".() -> string", hostname},
    {"getPort", "url_get_port", PROA_CEL_URL ".() -> string", port},
    {"getEscapedPath", "url_get_escaped_path", PROA_CEL_URL ".() -> string", escaped_path},
    {"getQuery", "url_get_query", PROA_CEL_URL ".() -> map(string, list(string))", query},
};

}  // namespace kubernetes_urls

std::span<const FunctionRow> kubernetes_url_rows() { return kubernetes_urls::kRows; }

}  // namespace proa::cel
