#include "cli/server/flags/store_flags.h"

#include "base/strings.h"
#include "http/net/tls.h"
#include "http/wire/url.h"

namespace proa::cli {
namespace store_settings {

constexpr std::string_view kScheme = "etcd://";
constexpr std::string_view kDefaultPrefix = "/registry";
constexpr size_t kMaxBytes = 1 << 20;

Status wrong(std::string message) { return {Reason::kInvalid, std::move(message)}; }

// What the flags say, as text.
struct Words {
  std::string servers;  // URLs, or HOST:PORT
  std::string prefix;
  std::string_view flag;  // that named the servers
};

Result<Words> read_words(const Settings& settings) {
  Words words{.servers = settings.text("etcd-servers"),
              .prefix = settings.text("etcd-prefix"),
              .flag = "--etcd-servers"};
  const std::string& store = settings.text("store");
  if (store.empty()) return words;
  if (!words.servers.empty()) return wrong("--store and --etcd-servers exclude each other");
  words.flag = "--store";
  if (!store.starts_with(kScheme))
    return wrong("--store must be etcd://HOST:PORT,HOST:PORT[/PREFIX], not " + store);
  const std::string_view rest = std::string_view(store).substr(kScheme.size());
  const size_t slash = rest.find('/');
  words.servers = std::string(rest.substr(0, slash));
  if (slash == std::string_view::npos) return words;
  if (settings.is_given("etcd-prefix"))
    return wrong("--store with a prefix and --etcd-prefix exclude each other");
  words.prefix = std::string(rest.substr(slash));
  return words;
}

Result<http::Origin> read_endpoint(std::string_view text, std::string_view flag, bool tls) {
  const bool is_url = text.find("://") != std::string_view::npos;
  const std::string url =
      is_url ? std::string(text) : (tls ? "https://" : "http://") + std::string(text);
  const auto parsed = http::parse_url(url);
  if (!parsed.ok() || parsed->target != "/") {
    return wrong(std::string(flag) + " must name members of etcd such as 10.0.0.1:2379, not " +
                 std::string(text));
  }
  return http::Origin::of(*parsed);
}

Result<std::string> read_pem(Files& files, const Settings& settings, std::string_view flag) {
  const std::string& path = settings.text(flag);
  if (path.empty()) return std::string();
  auto text = files.read_file(path, kMaxBytes);
  if (!text.ok()) return text.status().in("--" + std::string(flag));
  return text;
}

Result<http::ClientTls> read_tls(const Settings& settings, Files& files) {
  http::TlsOptions options;
  options.roots_pem = TRY(read_pem(files, settings, "etcd-cafile"));
  options.certificate_pem = TRY(read_pem(files, settings, "etcd-certfile"));
  options.private_key_pem = TRY(read_pem(files, settings, "etcd-keyfile"));
  if (options.certificate_pem.empty() != options.private_key_pem.empty())
    return wrong("--etcd-certfile and --etcd-keyfile must be set together");
  auto context = http::TlsContext::client(options);
  if (!context.ok()) return context.status().in("--etcd-cafile, --etcd-certfile, --etcd-keyfile");
  return http::ClientTls(*std::move(context));
}

}  // namespace store_settings

std::vector<Flag> store_flags() {
  return {{.name = "store",
           .word = "URL",
           .summary = "where objects are stored: etcd://HOST:PORT,HOST:PORT[/PREFIX]; default: in "
                      "the data directory"},
          {.name = "etcd-servers",
           .word = "URL,...",
           .summary = "the same as --store, as URLs of etcd's members"},
          {.name = "etcd-prefix",
           .word = "PREFIX",
           .fallback = std::string(store_settings::kDefaultPrefix),
           .summary = "how keys in etcd begin"},
          {.name = "etcd-cafile",
           .kind = ValueKind::kFile,
           .word = "FILE",
           .fallback = {},
           .summary = "certificate authority of etcd's members"},
          {.name = "etcd-certfile",
           .kind = ValueKind::kFile,
           .word = "FILE",
           .fallback = {},
           .summary = "client certificate for etcd"},
          {.name = "etcd-keyfile",
           .kind = ValueKind::kFile,
           .word = "FILE",
           .fallback = {},
           .summary = "private key of the client certificate for etcd"},
          {.name = "etcd-compaction-interval",
           .kind = ValueKind::kDuration,
           .word = "TIME",
           .fallback = "5m",
           .summary = "how often etcd's history is compacted; 0s: never, by this server"}};
}

Result<std::optional<store::EtcdOptions>> read_store_options(const Settings& settings,
                                                             Files& files) {
  using namespace store_settings;
  const Words words = TRY(read_words(settings));
  const bool has_tls =
      !settings.text("etcd-cafile").empty() || !settings.text("etcd-certfile").empty();
  if (words.servers.empty()) {
    if (words.flag == "--store") return wrong("--store names no member of etcd");
    if (has_tls) return wrong("--etcd-cafile and --etcd-certfile need --etcd-servers");
    return std::optional<store::EtcdOptions>();
  }
  store::EtcdOptions options;
  for (const std::string_view part : split(words.servers, ',')) {
    options.endpoints.push_back(TRY(read_endpoint(trim(part), words.flag, has_tls)));
    if (options.endpoints.back().tls != options.endpoints.front().tls)
      return wrong(std::string(words.flag) + " must name http or https URLs, not both");
  }
  // Reading the system's authorities takes a moment.
  if (options.endpoints.front().tls) options.tls = TRY(read_tls(settings, files));
  options.prefix = words.prefix;
  while (options.prefix.ends_with('/')) options.prefix.pop_back();
  if (!options.prefix.starts_with('/')) options.prefix = "/" + options.prefix;
  if (options.prefix.size() < 2) return wrong("--etcd-prefix must not be empty");
  options.compaction_interval = settings.duration("etcd-compaction-interval");
  return std::optional(std::move(options));
}

}  // namespace proa::cli
