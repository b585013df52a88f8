#include "dns/server/names/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "dns/config/config_map.h"
#include "dns/forward/upstream/upstream_set.h"
#include "dns/message/text.h"
#include "dns/server/names/cluster_zones.h"
#include "dns/server/names/local_names.h"

namespace proa::dns {
namespace explain_names {

// Of pods with the policy ClusterFirst.
constexpr int kDots = 5;

std::vector<Name> candidates(const Name& name, const Zone& zone, const ExplainRequest& request) {
  std::vector<Name> names;
  const auto dots = std::ranges::count(request.name, '.');
  const bool absolute = request.name.ends_with('.');
  if (dots >= kDots || absolute) names.push_back(name);
  if (absolute) return names;
  for (const std::string& below :
       {std::string(request.name_space) + ".svc", std::string("svc"), std::string()}) {
    Name longer = name;
    const auto middle = below.empty() ? std::optional<Name>(Name()) : Name::parse(below);
    if (middle && longer.append(middle->view()) && longer.append(zone.name())) {
      names.push_back(longer);
    }
  }
  if (dots < kDots) names.push_back(name);
  return names;
}

std::string_view word_for(RewriteRule::Match match) {
  switch (match) {
    case RewriteRule::Match::kExact:
      return "exact";
    case RewriteRule::Match::kPrefix:
      return "prefix";
    case RewriteRule::Match::kSuffix:
      return "suffix";
    case RewriteRule::Match::kSubstring:
      return "substring";
  }
  return "";
}

// The name after all rules that apply, each of them a reason.
Name rewritten(const std::vector<RewriteRule>& rules, Name name, ExplainedName& about) {
  for (const RewriteRule& rule : rules) {
    const auto other = LocalNames({}, {rule}).rewrite(name);
    if (!other) continue;
    name = other->name;
    about.reasons.push_back(fmt::format("the rewrite rule \"{} {} {}\" makes it {}",
                                        word_for(rule.match), rule.from, rule.to, name.str()));
    if (rule.last) break;
  }
  return name;
}

std::string zone_text(const ForwardZone& zone) {
  return zone.zone == "." ? "all other names" : "names in " + zone.zone;
}

// Who is asked for a name outside of the cluster: the longest zone that contains it.
void forward(const std::vector<ForwardZone>& zones, const Name& name, ExplainedName& about) {
  std::vector<UpstreamSet> sets;
  for (const ForwardZone& zone : zones) sets.emplace_back(zone);
  const UpstreamSet* best = nullptr;
  for (const UpstreamSet& set : sets) {
    if (!set.contains(name)) continue;
    if (best == nullptr || set.name().labels() > best->name().labels()) best = &set;
  }
  if (best == nullptr || best->excepts(name)) {
    about.outcome = Outcome::kRefused;
    about.reasons.push_back(best == nullptr
                                ? std::string("no upstream is configured for it")
                                : "the configuration excepts it from " + zone_text(best->zone()));
    return;
  }
  for (const Upstream& upstream : best->zone().upstreams) {
    about.upstreams.push_back(upstream.str());
  }
  if (best->zone().of_host) about.upstreams.emplace_back("those of each node's resolv.conf");
  about.reasons.push_back(
      fmt::format("{} are asked of {}", zone_text(best->zone()), join(about.upstreams, ", ")));
}

// Names that the cluster does not have: whether others are asked for them.
void fall_through(const ClusterSettings& settings, const Name& name, ExplainedName& about) {
  const ClusterZones zones(settings);
  if (about.outcome == Outcome::kNameError && zones.passes_on(name)) {
    about.outcome = Outcome::kNotOurs;
    about.reasons.emplace_back("the configuration has others asked for it (fallthrough)");
  } else if (about.outcome == Outcome::kNotOurs && zones.reverse_of(name) != nullptr &&
             !zones.passes_on(name)) {
    about.outcome = Outcome::kNameError;
    about.reasons.emplace_back("the configuration has nobody else asked for it (no fallthrough)");
  }
}

ExplainedName explain_one(const Index& index, const Zone& zone, const Settings& settings,
                          const Question& question) {
  ExplainedName about{.name = question.name.str(), .type = question.type};
  Query asked;
  asked.tcp = true;
  asked.question = question;
  Query query = asked;
  query.question.name = rewritten(settings.rewrites, question.name, about);
  std::vector<uint8_t> buffer(kMostMessage);
  Writer writer(buffer, buffer.size());
  writer.begin_response(query);
  if (const auto rcode = LocalNames(settings.hosts, {}).answer(query.question, writer)) {
    about.outcome = *rcode == Rcode::kNoError ? Outcome::kAnswer : Outcome::kNameError;
    about.reasons.push_back(fmt::format(
        "the hosts of ConfigMap {}/{} {}", kConfigMapNamespace, kConfigMapName,
        *rcode == Rcode::kNoError ? "have the name" : "do not have it, and nobody else is asked"));
  } else {
    Name external;
    about.outcome =
        lookup(index, zone, {.question = query.question, .rotation = 0, .reasons = &about.reasons},
               writer, external);
    fall_through(settings.cluster, query.question.name, about);
    if (about.outcome == Outcome::kNotOurs) forward(settings.forwards, query.question.name, about);
    if (about.outcome == Outcome::kExternal) forward(settings.forwards, external, about);
  }
  if (about.outcome != Outcome::kAnswer && about.outcome != Outcome::kExternal) return about;
  buffer.resize(writer.finish(Rcode::kNoError));
  std::vector<uint8_t> renamed(kMostMessage);
  const Rewritten to = LocalNames({}, settings.rewrites)
                           .rewrite(question.name)
                           .value_or(Rewritten{.name = question.name});
  renamed.resize(rename_response(buffer, asked, to, renamed));
  const std::string text = message_text(renamed);
  for (const std::string_view line :
       split(std::string_view(text).substr(text.find('\n') + 1), '\n')) {
    if (!line.empty()) about.records.emplace_back(line);
  }
  if (about.records.empty()) about.outcome = Outcome::kNoData;
  return about;
}

}  // namespace explain_names

std::string_view words_for(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNotOurs:
      return "asked of the servers outside";
    case Outcome::kAnswer:
      return "answered";
    case Outcome::kNoData:
      return "exists, without such a record";
    case Outcome::kNameError:
      return "does not exist (NXDOMAIN)";
    case Outcome::kNotReady:
      return "not known yet";
    case Outcome::kRefused:
      return "refused (REFUSED)";
    case Outcome::kExternal:
      return "answered, with what the servers outside know of the target";
  }
  return "";
}

bool Explanation::exists() const {
  return std::ranges::any_of(names, [](const ExplainedName& one) {
    if (one.outcome == Outcome::kNotOurs) return std::ranges::count(one.name, '.') > 1;
    return one.outcome != Outcome::kNameError && one.outcome != Outcome::kRefused;
  });
}

Result<Explanation> explain(const Index& index, const Zone& zone, const Settings& settings,
                            const ExplainRequest& request) {
  Explanation explanation;
  const auto add = [&](const Name& name, Type type) {
    explanation.names.push_back(explain_names::explain_one(
        index, zone, settings, {.name = name, .type = type, .klass = Class::kInternet}));
    return explanation.names.back().outcome;
  };
  if (const auto address = parse_ip(request.name)) {
    add(reverse_name(*address), Type::kPtr);
    return explanation;
  }
  const auto name = Name::parse(request.name);
  if (!name) {
    return Status(Reason::kInvalid, "\"" + std::string(request.name) + "\" is not a domain name");
  }
  for (const Name& candidate : explain_names::candidates(*name, zone, request)) {
    const Outcome outcome = add(candidate, request.type);
    // A resolver goes on where the name does not exist or has no such record.
    if (outcome != Outcome::kNameError && outcome != Outcome::kNoData) break;
  }
  return explanation;
}

std::string show_text(const Explanation& explanation) {
  std::string text;
  for (const ExplainedName& one : explanation.names) {
    text += fmt::format("{} {}: {}\n", one.name, type_name(one.type), words_for(one.outcome));
    for (const std::string& reason : one.reasons) text += "  because " + reason + "\n";
    for (const std::string& record : one.records) text += record + "\n";
  }
  return text;
}

}  // namespace proa::dns
