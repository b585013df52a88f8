#include "cli/commands/kubeconfig.h"

#include <cstdlib>

#include "base/files.h"
#include "base/strings.h"
#include "cli/command_line/output.h"
#include "cli/credentials/kubeconfig_merge.h"
#include "cli/credentials/start_hint.h"
#include "cli/node/join/discovery.h"
#include "cli/server/flags/server_flags.h"
#include "crypto/certificate.h"
#include "http/client/request.h"
#include "http/wire/url.h"

namespace proa::cli {
namespace kubeconfig {

constexpr size_t kMaxBytes = 4 * 1024 * 1024;

Result<std::string> read_admin(Files& files, const std::string& data_dir) {
  const std::string path = data_dir + "/admin.kubeconfig";
  Result<std::string> text = files.read_file(path, kMaxBytes);
  if (text.is(Reason::kNotFound)) return no_admin_kubeconfig(files, data_dir);
  return text;
}

// The file that kubectl writes to: the first of KUBECONFIG, or ~/.kube/config.
Result<std::string> own_kubeconfig() {
  if (const char* given = std::getenv("KUBECONFIG"); given != nullptr && *given != '\0') {
    for (const std::string_view path : split(given, ':')) {
      if (!path.empty()) return std::string(path);
    }
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return Status(Reason::kInvalid, "neither KUBECONFIG nor HOME is set; set one of them");
  }
  return std::string(home) + "/.kube/config";
}

Result<void> merge(Files& files, const std::string& added, Terminal& terminal) {
  const std::string path = TRY(own_kubeconfig());
  const auto existing = files.read_file(path, kMaxBytes);
  if (!existing && !existing.is(Reason::kNotFound)) return existing.status();
  const auto merged = merge_kubeconfigs(existing ? *existing : "", added);
  if (!merged) return merged.status().in(path);
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) TRY(files.make_dirs(path.substr(0, slash), 0700));
  TRY(files.write_file_atomic(path, format_value(merged->root(), "yaml"), 0600));
  terminal.out(path + ": context proa added and selected\n");
  return {};
}

// The certificate of a server that is reached under a new name must have that name.
void warn_about_name(Files& files, const Settings& settings, Terminal& terminal) {
  const auto url = http::parse_url(settings.text("server"));
  const auto pem = files.read_file(settings.text("data-dir") + "/tls/server.crt", kMaxBytes);
  if (!url || !pem) return;
  const auto certificate = crypto::Certificate::parse(*pem);
  const std::string host = http::Origin::of(*url).host;
  if (!certificate || certificate->covers(host)) return;
  terminal.error("the server's certificate is not valid for " + host +
                 "; restart the server with --tls-san " + host + "\n");
}

Result<void> check(const Invocation& invocation) {
  const std::string& server = invocation.settings.text("server");
  if (server.empty()) return {};
  return check_server_url(server);
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  SystemFiles files;
  std::string text = TRY(read_admin(files, settings.text("data-dir")));
  if (const std::string& server = settings.text("server"); !server.empty()) {
    const json::Document changed = TRY(with_server(text, server));
    text = format_value(changed.root(), "yaml");
    warn_about_name(files, settings, terminal);
  }
  if (settings.on("merge")) return merge(files, text, terminal);
  terminal.out(text);
  return {};
}

}  // namespace kubeconfig

Command kubeconfig_command() {
  return {
      .name = "kubeconfig",
      .summary = "Print the administrator's kubeconfig, or merge it into kubectl's.",
      .description =
          "For example: proa kubeconfig > proa.yaml, or: proa kubeconfig --merge\n"
          "--merge changes the first file of KUBECONFIG, or ~/.kube/config: it adds the context\n"
          "proa, or replaces it, and selects it. With --server, clients on other machines find\n"
          "the server.",
      .flags = {data_dir_flag(),
                server_flag(),
                {.name = "merge",
                 .kind = ValueKind::kSwitch,
                 .fallback = "false",
                 .summary = "add it to kubectl's own configuration"}},
      .run = kubeconfig::run,
      .check = kubeconfig::check};
}

}  // namespace proa::cli
