#include "apiserver/resources/write/patch.h"

#include <algorithm>

#include "api/codec/json/from_json.h"
#include "api/codec/json/go_errors.h"
#include "api/codec/json/stated_kind.h"
#include "api/codec/json/strict.h"
#include "api/patch/patch.h"
#include "api/patch/patched_text.h"
#include "api/patch/restore_error.h"
#include "api/patch/strategic_errors.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/request/failures.h"
#include "apiserver/request/kind_mismatch.h"
#include "apiserver/resources/write/apply.h"
#include "apiserver/resources/write/body.h"
#include "apiserver/resources/write/custom.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace patch {

// Always includes metadata, which is small.
std::vector<std::string_view> touched_members(const json::Value& patched, const json::Value& old) {
  std::vector<std::string_view> touched = {"metadata"};
  for (const json::Member& member : patched.members()) {
    const json::Value* before = old.find(member.key);
    if (before == nullptr || !(member.value == *before)) touched.push_back(member.key);
  }
  return touched;
}

// One patch of one object.
class Patching {
 public:
  Patching(api::PatchType kind, const json::Document& old, const Call& call, const api::Type& type,
           const api::Schema& schema)
      : kind_(kind),
        old_(old),
        patch_(call.payload),
        validation_(call.write().validation),
        type_(type),
        schema_(schema) {}

  Result<Body> run(bool is_canonical, const Request& request) {
    Budget budget = patch_.budget;
    json::Document patched = TRY(apply(budget, &problems_));
    bool decodes = true;
    if (kind_ == api::PatchType::kStrategic) {
      // Upstream reads the result into the object's own type, whatever the patch calls it.
      name_kind(patched);
    } else {
      decodes = TRY(settle_kind(patched));
    }
    if (decodes) patched = TRY(decode(std::move(patched), is_canonical, budget));
    if (type_.open) {
      const Result<void> settled = settle_custom(request, patched, validation_, problems_, budget);
      if (!settled)
        return settled.is(Reason::kBadRequest) ? invalid(settled.status().message())
                                               : settled.status();
    }
    if (validation_ == api::FieldValidation::kStrict && !problems_.empty())
      return invalid(api::strict_decoding_error(problems_).message());
    if (validation_ == api::FieldValidation::kWarn) {
      for (std::string& problem : problems_) request.warn(std::move(problem));
    }
    return Body{std::move(patched), std::move(budget)};
  }

 private:
  Result<json::Document> apply(Budget& budget, std::vector<std::string>* problems) const {
    json::Document patched = old_.copy();
    if (patch_.document) {
      TRY(api::apply_patch(kind_, patched, patch_.document->root(), type_, budget));
    } else {
      TRY(api::apply_patch(kind_, patched, patch_.bytes.view(), type_, budget, problems));
    }
    return patched;
  }

  // For messages: decoding took the patched object apart.
  Result<json::Document> apply_again() const {
    Budget budget = patch_.budget;
    return apply(budget, nullptr);
  }

  void name_kind(json::Document& document) const {
    const api::Edit object(document);
    object.set("kind", type_.name);
    object.set("apiVersion", type_.group_version);
  }

  // The result of a JSON or merge patch is read as what it calls itself. Without a kind it is of
  // the object's own. Without an apiVersion upstream reads it as its internal type, which has none
  // of the fields: nothing is left, and false is returned.
  Result<bool> settle_kind(json::Document& patched) {
    Result<api::StatedKind> stated = api::stated_kind(patched.root());
    if (!stated) return invalid(stated.status().message());
    if (type_.open) {
      // Upstream knows custom kinds by their objects only: these must say what they are.
      if (stated->kind.empty()) return invalid("Object 'Kind' is missing in '" + quoted() + "'");
      TRY(check_custom_kind(*stated, type_, patched.root()));
      return true;
    }
    if (stated->kind.empty()) stated->kind = type_.name;
    const api::StatedKind wanted{std::string(type_.group_version), std::string(type_.name)};
    const bool internal =
        stated->version().empty() && (stated->group().empty() || stated->group() == wanted.group());
    if (stated->version().empty() && !internal)
      return invalid("Object 'apiVersion' is missing in '" + quoted() + "'");
    if (stated->kind != wanted.kind || (!internal && stated->api_version != wanted.api_version))
      return invalid(kind_mismatch(*stated, type_, schema_));
    if (internal) forget_fields(patched);
    name_kind(patched);
    return !internal;
  }

  void forget_fields(json::Document& patched) {
    std::vector<std::string> names;
    for (const json::Member& member : patched.root().members()) {
      if (member.key != "kind" && member.key != "apiVersion") names.emplace_back(member.key);
    }
    std::ranges::sort(names);
    for (const std::string& name : names) problems_.push_back("unknown field \"" + name + "\"");
    patched.root() = json::Value::object();
    api::Edit(patched).object("metadata");
  }

  Result<json::Document> decode(json::Document patched, bool is_canonical, Budget& budget) {
    std::vector<std::string_view> touched;
    if (is_canonical) touched = touched_members(patched.root(), old_.root());
    Result<api::FromJson> read =
        api::from_json(std::move(patched), type_, budget, {.touched = touched});
    if (!read) {
      return read.is(Reason::kBadRequest) ? invalid(decode_error(read.status())) : read.status();
    }
    if (validation_ != api::FieldValidation::kIgnore && read->unknown_fields) add_unknown_fields();
    return std::move(read->document);
  }

  // In upstream's words; `usual`: if it has none.
  std::string decode_error(const Status& usual) {
    if (kind_ == api::PatchType::kStrategic) {
      const Result<json::Document> again = apply_again();
      std::string words = again ? api::find_restore_error(again->root(), type_) : std::string();
      return words.empty() ? usual.message() : words;
    }
    return api::find_decode_error(quoted(), type_).value_or(usual).message();
  }

  void add_unknown_fields() {
    std::vector<std::string> unknown;
    if (kind_ == api::PatchType::kStrategic) {
      const Result<json::Document> again = apply_again();
      if (again) unknown = api::find_strict_problems(json::print(again->root()), type_);
      std::ranges::sort(unknown);
    } else {
      unknown = api::find_strict_problems(quoted(), type_);
    }
    problems_.insert(problems_.end(), unknown.begin(), unknown.end());
  }

  // What messages repeat: the patched object, or a strategic patch.
  const std::string& quoted() {
    if (!quoted_) quoted_ = quote();
    return *quoted_;
  }

  std::string quote() const {
    const std::string patch =
        patch_.document ? json::print(patch_.document->root()) : std::string(patch_.bytes.view());
    if (kind_ == api::PatchType::kStrategic) {
      const Result<json::Document> parsed = json::parse(patch);
      return parsed ? api::go_value_text(parsed->root()) : patch;
    }
    const Result<json::Document> patched = apply_again();
    return patched ? api::patched_text(kind_, old_.root(), patched->root(), patch) : patch;
  }

  // The patch is well-formed, but its result is not.
  Status invalid(std::string_view why) {
    api::FieldErrors errors;
    errors.invalid(api::Path("patch"), quoted(), why);
    return errors.to_status("", "", "");
  }

  const api::PatchType kind_;
  const json::Document& old_;
  const Payload& patch_;
  const api::FieldValidation validation_;
  const api::Type& type_;
  const api::Schema& schema_;
  std::vector<std::string> problems_;  // that strict decoding reports
  std::optional<std::string> quoted_;  // made when needed
};

}  // namespace patch

Result<api::PatchType> patch_type(const Call& call) {
  const std::optional<api::PatchType> type = api::patch_type_from(call.payload.content_type);
  // Upstream's router has only the types that it knows.
  if (!type) return unsupported_media_type();
  if (*type == api::PatchType::kStrategic && call.request.resource->custom)
    return Status(
        Reason::kUnsupportedMediaType,
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
  const WriteOptions& options = call.write();
  api::FieldErrors errors;
  if (*type == api::PatchType::kApply) {
    if (options.field_manager.empty())
      errors.required(api::Path("fieldManager"), "is required for apply patch");
  } else if (options.force) {
    errors.forbidden(api::Path("force"), "may not be specified for non-apply patch");
  }
  if (!errors.empty()) return errors.to_status("meta.k8s.io", "PatchOptions", "");
  return *type;
}

Result<Body> apply_to(const json::Document& old, bool is_canonical, const Call& call,
                      const api::Type& type, const api::Schema& schema) {
  const api::PatchType kind = TRY(patch_type(call));
  return patch::Patching(kind, old, call, type, schema).run(is_canonical, call.request);
}

void note_patch(const Call& call) {
  if (call.request.audit == nullptr || !call.request.audit->wants_object()) return;
  call.request.audit->note_patch(call.payload.document
                                     ? Bytes(json::print(call.payload.document->root()))
                                     : call.payload.bytes);
}

Result<Written> patch_object(const ApiContext& context, const Call& call,
                             const UpdateRules& rules) {
  const api::PatchType type = TRY(patch_type(call));
  note_patch(call);
  if (type == api::PatchType::kApply) return apply_object(context, call, rules);
  const api::Resource& resource = *call.request.resource;
  return change_object(context, call.request, call.write(), rules, [&](const json::Document& old) {
    return apply_to(old, !may_be_converted(resource), call, *resource.type, context.schema);
  });
}

}  // namespace proa::apiserver
