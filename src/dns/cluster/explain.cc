#include "dns/cluster/explain.h"

#include <algorithm>

#include "dns/message/text.h"

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
      return "refused";
    case Outcome::kExternal:
      return "answered, with what the servers outside know of the target";
  }
  return "";
}

}  // namespace explain_names

Result<std::string> explain(const Index& index, const Zone& zone, const ExplainRequest& request) {
  const auto name = Name::parse(request.name);
  if (!name) {
    return Status(Reason::kInvalid, "\"" + std::string(request.name) + "\" is not a domain name");
  }
  std::string text;
  for (const Name& candidate : explain_names::candidates(*name, zone, request)) {
    Query query;
    query.tcp = true;
    query.question = {.name = candidate, .type = request.type, .klass = Class::kInternet};
    std::vector<uint8_t> buffer(kMostMessage);
    Writer writer(buffer, buffer.size());
    writer.begin_response(query);
    std::vector<std::string> reasons;
    Name external;
    const Outcome outcome =
        lookup(index, zone, {.question = query.question, .rotation = 0, .reasons = &reasons},
               writer, external);
    text += candidate.str() + " " + type_name(request.type) + ": " +
            std::string(explain_names::words_for(outcome)) + "\n";
    for (const std::string& reason : reasons) text += "  because " + reason + "\n";
    buffer.resize(writer.finish(Rcode::kNoError));
    const std::string records = message_text(buffer);
    if (outcome == Outcome::kAnswer || outcome == Outcome::kExternal) {
      text += records.substr(records.find('\n') + 1);
    }
    // A resolver goes on where the name does not exist or has no such record.
    if (outcome != Outcome::kNameError && outcome != Outcome::kNoData) break;
  }
  return text;
}

}  // namespace proa::dns
