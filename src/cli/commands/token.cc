#include "cli/commands/token.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/builtin.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/command_line/output.h"
#include "cli/credentials/admin_client.h"
#include "cli/credentials/join_token.h"
#include "cli/credentials/token_secret.h"
#include "cli/node/join/join_objects.h"
#include "cli/server/flags/server_flags.h"
#include "json/parse.h"
#include "kinds/rules.h"

namespace proa::cli {
namespace token {

// The probability that an ID is taken is one in two billion.
constexpr int kAttempts = 3;
// Prevents overflow of the expiry date.
constexpr Duration kMaxLifetime = std::chrono::hours(24 * 365 * 100);

client::Place secrets(const std::string& name = "") {
  return {.resource = api::builtin_schema().find_resource("", "v1", "secrets"),
          .name_space = "kube-system",
          .name = name,
          .subresource = ""};
}

Result<TokenFacts> wanted_facts(const Settings& settings, Time now) {
  const Duration ttl = settings.duration("ttl");
  if (ttl > kMaxLifetime) {
    return Status(Reason::kInvalid, "--ttl: " + settings.text("ttl") +
                                        " is too long; use 0 for tokens that never expire");
  }
  TokenFacts facts;
  facts.description = settings.text("description");
  facts.usages = TRY(parse_usages(settings.text("usages")));
  facts.groups = TRY(parse_groups(settings.text("groups")));
  if (ttl > Duration(0)) facts.expiration = format_time(now + ttl);
  return facts;
}

Result<void> check_create(const Invocation& invocation) {
  TRY(wanted_facts(invocation.settings, Time()));
  return {};
}

// What to run on the new machine, as a line.
std::string join_command(AdminClient& cluster, const JoinToken& token) {
  // Until the server has written it, it is known where it is for this machine.
  const auto elsewhere = advertised_server(cluster.client());
  return fmt::format("proa node --server {} --token {}\n",
                     elsewhere ? *elsewhere : cluster.server(), token.str());
}

Result<void> create(const Invocation& invocation, Terminal& terminal) {
  SystemClock clock;
  SystemRandom random;
  const TokenFacts facts = TRY(wanted_facts(invocation.settings, clock.now()));
  const auto cluster = TRY(AdminClient::open(invocation.settings.text("data-dir")));
  for (int attempt = 1;; ++attempt) {
    const JoinToken token = TRY(make_join_token(random, cluster->authority_pem()));
    const auto made = cluster->client().create(
        secrets(), json::parse_literal(make_token_secret(token, facts)), {});
    if (made.is(Reason::kAlreadyExists) && attempt < kAttempts) continue;
    if (!made) return cluster->explain(made.status());
    terminal.out(invocation.settings.on("print-join-command") ? join_command(*cluster, token)
                                                              : token.str() + "\n");
    return {};
  }
}

Result<std::vector<TokenFacts>> find_tokens(AdminClient& cluster) {
  const auto list =
      cluster.client().list(secrets(), {.field_selector = "type=bootstrap.kubernetes.io/token"});
  if (!list) return cluster.explain(list.status());
  std::vector<TokenFacts> tokens;
  for (const api::ObjectPtr& secret : list->items) {
    if (auto facts = read_token_secret(*secret)) tokens.push_back(std::move(*facts));
  }
  return tokens;
}

std::string rest_of(const TokenFacts& token, Time now) {
  if (token.expiration.empty()) return "forever";
  if (token.is_over(now)) return "expired";
  return kinds::human_duration(*parse_time(token.expiration) - now);
}

std::string table(const std::vector<TokenFacts>& tokens, Time now) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "GROUPS"}};
  const auto shown = [](const std::string& text) { return text.empty() ? "-" : text; };
  for (const TokenFacts& token : tokens) {
    rows.push_back(
        {token.id, rest_of(token, now), token.expiration.empty() ? "never" : token.expiration,
         shown(join(token.usages, ",")), shown(token.description), shown(join(token.groups, ","))});
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      text += fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    text += row.back() + "\n";
  }
  return text;
}

json::Document document_of(const std::vector<TokenFacts>& tokens, Time now) {
  json::Document document;
  json::Arena& arena = document.arena();
  const auto list_of = [&](const std::vector<std::string>& texts) {
    json::Value list = json::Value::array();
    for (const std::string& text : texts) list.push_back(arena, json::Value::string(arena, text));
    return list;
  };
  json::Value list = json::Value::array();
  for (const TokenFacts& token : tokens) {
    json::Value one = json::Value::object();
    one.set(arena, "id", json::Value::string(arena, token.id));
    one.set(arena, "description", json::Value::string(arena, token.description));
    if (!token.expiration.empty()) {
      one.set(arena, "expires", json::Value::string(arena, token.expiration));
    }
    one.set(arena, "expired", json::Value::boolean(token.is_over(now)));
    one.set(arena, "usages", list_of(token.usages));
    one.set(arena, "groups", list_of(token.groups));
    list.push_back(arena, std::move(one));
  }
  document.root() = json::Value::object();
  document.root().set(arena, "tokens", std::move(list));
  return document;
}

Result<void> list(const Invocation& invocation, Terminal& terminal) {
  const SystemClock clock;
  const auto cluster = TRY(AdminClient::open(invocation.settings.text("data-dir")));
  const std::vector<TokenFacts> tokens = TRY(find_tokens(*cluster));
  const std::string& output = invocation.settings.text("output");
  if (output != "text") {
    terminal.out(format_value(document_of(tokens, clock.now()).root(), output));
  } else if (tokens.empty()) {
    terminal.error("no tokens; create one with `proa token create`\n");
  } else {
    terminal.out(table(tokens, clock.now()));
  }
  return {};
}

Result<std::vector<std::string>> ids_of(const Invocation& invocation) {
  std::vector<std::string> ids;
  for (const std::string& text : invocation.arguments) {
    std::string id = TRY(token_id(text));
    ids.push_back(std::move(id));
  }
  return ids;
}

Result<void> check_remove(const Invocation& invocation) {
  TRY(ids_of(invocation));
  return {};
}

Result<void> remove(const Invocation& invocation, Terminal& terminal) {
  const std::vector<std::string> ids = TRY(ids_of(invocation));
  const auto cluster = TRY(AdminClient::open(invocation.settings.text("data-dir")));
  for (const std::string& id : ids) {
    const auto removed = cluster->client().remove(secrets(token_secret_name(id)), {});
    if (removed.is(Reason::kNotFound)) {
      return Status(Reason::kNotFound, "no such token: " + id + "; `proa token list` lists tokens");
    }
    if (!removed.ok()) return cluster->explain(removed.status());
    terminal.out("token " + id + " deleted\n");
  }
  return {};
}

Command create_command() {
  return {
      .name = "create",
      .summary = "Create a join token and print it.",
      .description =
          "A token has the form proa1.ID.SECRET.HASH. ID.SECRET authenticates the new machine;\n"
          "HASH is the SHA-256 of the cluster CA's public key, with which the machine verifies\n"
          "the server. The token is printed once; `proa token list` does not show secrets.\n"
          "Anyone who has it can join: keep it secret, and delete it when it is no longer needed.\n"
          "On the new machine: proa node --server URL --token TOKEN",
      .flags = {data_dir_flag(),
                {.name = "ttl",
                 .kind = ValueKind::kDuration,
                 .word = "TIME",
                 .fallback = "24h",
                 .summary = "time until the token expires; 0: never"},
                {.name = "description", .word = "TEXT", .summary = "description of the token"},
                {.name = "groups",
                 .word = "GROUP,...",
                 .fallback = "system:bootstrappers:proa:default-node-token",
                 .summary = "groups of the token's user, in addition to system:bootstrappers"},
                {.name = "usages",
                 .word = "USAGE,...",
                 .fallback = "authentication,signing",
                 .summary = "what the token may be used for"},
                {.name = "print-join-command",
                 .kind = ValueKind::kSwitch,
                 .fallback = "false",
                 .summary = "print the whole command for the new machine, not only the token"}},
      .run = create,
      .check = check_create};
}

}  // namespace token

Command token_command() {
  using namespace token;
  return {.name = "token",
          .summary = "Create, list and delete join tokens.",
          .description = "Asks the running server of the data directory as administrator.",
          .commands = {create_command(),
                       {.name = "list",
                        .summary = "List tokens and their expiration, without secrets.",
                        .flags = {data_dir_flag(), output_flag()},
                        .run = list},
                       {.name = "delete",
                        .summary = "Delete tokens.",
                        .description = "TOKEN is a complete token or its ID.",
                        .arguments = {{.word = "TOKEN", .repeats = true}},
                        .flags = {data_dir_flag()},
                        .run = remove,
                        .check = check_remove}}};
}

}  // namespace proa::cli
