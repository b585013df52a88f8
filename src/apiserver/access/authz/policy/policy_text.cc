#include "apiserver/access/authz/policy/policy_text.h"

#include <algorithm>
#include <map>
#include <string>

#include "api/object/edit.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace policy_text {

using api::Edit;
using Words = std::vector<std::string_view>;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kJoins = "rbac.authorization.k8s.io/aggregate-to-";

// A line with its continuation lines.
struct Line {
  size_t number = 0;
  bool indented = false;
  Words words;

  Status wrong(std::string_view why) const {
    return {Reason::kBadRequest, "line " + std::to_string(number) + ": " + std::string(why)};
  }
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent == line.size() || line[indent] == '#') continue;
    if (indent <= 2 || lines.empty()) lines.push_back({number, indent > 0, {}});
    for (const std::string_view word : split(line, ' ')) {
      if (!word.empty()) lines.back().words.push_back(word);
    }
  }
  return lines;
}

// Splits "on pods of core named web" at the keywords. Words before the first keyword are under "".
std::map<std::string_view, Words> sections_of(const Line& line,
                                              std::initializer_list<std::string_view> marks) {
  std::map<std::string_view, Words> sections;
  std::string_view section;
  for (const std::string_view word : line.words) {
    const bool is_mark = std::find(marks.begin(), marks.end(), word) != marks.end();
    if (is_mark) section = word;
    Words& words = sections[section];
    if (!is_mark) words.push_back(word);
  }
  return sections;
}

void set_list(Edit object, std::string_view name, Words texts) {
  std::sort(texts.begin(), texts.end());
  const Edit list = object.array(name);
  for (const std::string_view text : texts) list.push(json::Value::string(list.arena(), text));
}

Words all_verbs(const Words& words) {
  Words verbs;
  for (const std::string_view word : words) {
    if (word == "read") {
      verbs.insert(verbs.end(), {"get", "list", "watch"});
    } else if (word == "write") {
      verbs.insert(verbs.end(), {"create", "update", "patch", "delete", "deletecollection"});
    } else {
      verbs.push_back(word);
    }
  }
  return verbs;
}

class Reader {
 public:
  Result<void> add(const Line& line) {
    if (!line.indented) return add_role(line);
    if (objects_.empty()) return line.wrong("belongs to no role");
    return line.words[0] == "bound" ? add_binding(line) : add_rule(line);
  }

  std::vector<PolicyObject> take() { return std::move(objects_); }

 private:
  Edit add_object(std::string_view resource, std::string_view kind, std::string_view name) {
    objects_.push_back(PolicyObject{resource, json::Document({}, json::Value::object())});
    const Edit edit(objects_.back().document);
    edit.set("kind", kind);
    edit.set("apiVersion", "rbac.authorization.k8s.io/v1");
    const Edit metadata = edit.object("metadata");
    metadata.set("name", name);
    if (!name_space_.empty()) metadata.set("namespace", name_space_);
    metadata.object("labels").set("kubernetes.io/bootstrapping", "rbac-defaults");
    metadata.object("annotations").set("rbac.authorization.kubernetes.io/autoupdate", "true");
    return edit;
  }

  Result<void> add_role(const Line& line) {
    const auto sections = sections_of(line, {"gathers", "joins"});
    const Words& head = sections.begin()->second;
    const bool complete = std::all_of(sections.begin(), sections.end(), [&](const auto& section) {
      return section.second.size() == (section.first.empty() ? 2 : 1);
    });
    if (!complete || !sections.contains("")) return line.wrong("no head of a role");
    const auto halves = split_once(head[1], '/');
    if (head[0] == "clusterrole" && !halves) {
      name_space_ = {};
      name_ = head[1];
    } else if (head[0] == "role" && halves && !halves->before.empty()) {
      name_space_ = halves->before;
      name_ = halves->after;
    } else {
      return line.wrong("neither `clusterrole NAME` nor `role NAMESPACE/NAME`");
    }
    const Edit role = is_cluster() ? add_object("clusterroles", "ClusterRole", name_)
                                   : add_object("roles", "Role", name_);
    role_ = objects_.size() - 1;
    if (const auto joins = sections.find("joins"); joins != sections.end()) {
      const std::string label = std::string(kJoins).append(joins->second[0]);
      role.object("metadata").object("labels").set(label, "true");
    }
    if (const auto gathers = sections.find("gathers"); gathers != sections.end()) {
      const std::string label = std::string(kJoins).append(gathers->second[0]);
      const Edit selectors = role.object("aggregationRule").array("clusterRoleSelectors");
      selectors.push_object().object("matchLabels").set(label, "true");
    }
    return {};
  }

  Result<void> add_rule(const Line& line) {
    auto sections = sections_of(line, {"on", "of", "named", "at"});
    const bool is_path = sections.contains("at");
    const bool complete =
        sections.contains("") && std::none_of(sections.begin(), sections.end(),
                                              [](const auto& one) { return one.second.empty(); });
    if (!complete || is_path == sections.contains("on") || (is_path && sections.size() != 2)) {
      return line.wrong("neither `VERBS on RESOURCES` nor `VERBS at PATHS`");
    }
    const Edit rule = Edit(objects_[role_].document).array("rules").push_object();
    set_list(rule, "verbs", all_verbs(sections[""]));
    if (is_path) {
      set_list(rule, "nonResourceURLs", sections["at"]);
      return {};
    }
    Words groups = sections.contains("of") ? sections["of"] : Words{"core"};
    std::replace(groups.begin(), groups.end(), std::string_view("core"), std::string_view());
    set_list(rule, "apiGroups", groups);
    set_list(rule, "resources", sections["on"]);
    if (sections.contains("named")) set_list(rule, "resourceNames", sections["named"]);
    return {};
  }

  Result<void> add_binding(const Line& line) {
    auto sections = sections_of(line, {"as", "to"});
    const Words& subjects = sections["to"];
    if (sections[""].size() != 1 || subjects.empty()) return line.wrong("`bound to` nobody at all");
    std::string_view name = name_;
    if (sections.contains("as")) {
      if (sections["as"].size() != 1) return line.wrong("`bound as` no name");
      name = sections["as"][0];
    }
    const Edit binding = is_cluster()
                             ? add_object("clusterrolebindings", "ClusterRoleBinding", name)
                             : add_object("rolebindings", "RoleBinding", name);
    const Edit role = binding.object("roleRef");
    role.set("apiGroup", kGroup);
    role.set("kind", is_cluster() ? "ClusterRole" : "Role");
    role.set("name", name_);
    if (subjects == Words{"nobody"}) return {};
    for (const std::string_view subject : subjects) {
      if (!add_subject(binding.array("subjects").push_object(), subject)) {
        return line.wrong("neither user:NAME, group:NAME nor account:NAMESPACE/NAME");
      }
    }
    return {};
  }

  static bool add_subject(Edit subject, std::string_view text) {
    const auto halves = split_once(text, ':');
    if (!halves || halves->after.empty()) return false;
    if (halves->before == "account") {
      const auto place = split_once(halves->after, '/');
      if (!place) return false;
      subject.set("kind", "ServiceAccount");
      subject.set("name", place->after);
      subject.set("namespace", place->before);
      return true;
    }
    if (halves->before != "user" && halves->before != "group") return false;
    subject.set("kind", halves->before == "user" ? "User" : "Group");
    subject.set("apiGroup", kGroup);
    subject.set("name", halves->after);
    return true;
  }

  bool is_cluster() const { return name_space_.empty(); }

  std::vector<PolicyObject> objects_;
  // The current role.
  size_t role_ = 0;
  std::string_view name_space_;
  std::string_view name_;
};

}  // namespace policy_text

Result<std::vector<PolicyObject>> parse_policy(std::string_view text) {
  policy_text::Reader reader;
  for (const policy_text::Line& line : policy_text::lines_of(text)) TRY(reader.add(line));
  return reader.take();
}

}  // namespace proa::apiserver
