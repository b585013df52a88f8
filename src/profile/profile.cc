#include "profile/profile.h"

#include <string_view>
#include <unordered_map>

#include "api/codec/protobuf/wire.h"

namespace proa::profile {
namespace profile_encoding {

using api::ReverseWriter;

// Values by their place in a table, in the order in which they were asked for first.
template <typename Key>
class Places {
 public:
  uint64_t of(const Key& key) {
    const auto [found, added] = places_.try_emplace(key, all_.size());
    if (added) all_.push_back(key);
    return found->second;
  }
  const std::vector<Key>& all() const { return all_; }

 private:
  std::unordered_map<Key, uint64_t> places_;
  std::vector<Key> all_;
};

// Messages are written back to front.
template <typename List, typename Write>
void from_last(const List& list, Write write) {
  for (auto each = list.rbegin(); each != list.rend(); ++each) write(*each);
}

struct Location {
  uint64_t address = 0;
  uint64_t mapping = 0;   // 0: none
  uint64_t function = 0;  // 0: none
};

struct MappingText {
  uint64_t file = 0;
  uint64_t build_id = 0;
  bool named = false;  // its addresses have functions
};

struct TypeText {
  uint64_t type = 0;
  uint64_t unit = 0;
};

// Everything that the message refers to by number. Texts are written last, but have their numbers
// before: all of them are collected first.
class Tables {
 public:
  Tables(const Profile& profile, FunctionNames& names) : names_(names) {
    texts_.of("");
    for (const CodeMapping& code : names.code())
      mappings_.push_back({texts_.of(code.file), texts_.of(code.build_id), false});
    for (const ValueType& type : profile.types) types_.push_back(text_of(type));
    period_type_ = text_of(profile.period_type);
    for (const std::string& comment : profile.comments) comments_.push_back(texts_.of(comment));
    for (const Sample& sample : profile.samples) {
      for (const uint64_t address : sample.stack) add(address);
    }
  }

  std::string write(const Profile& profile) {
    ReverseWriter out;
    from_last(comments_, [&](uint64_t comment) { out.varint_field(13, comment); });
    out.varint_field(12, static_cast<uint64_t>(profile.period));
    write_type(out, 11, period_type_);
    out.varint_field(10, static_cast<uint64_t>(profile.duration.count()));
    out.varint_field(9, static_cast<uint64_t>(profile.begin.time_since_epoch().count()));
    from_last(texts_.all(), [&](std::string_view text) { out.bytes_field(6, text); });
    write_functions(out);
    write_locations(out);
    write_mappings(out);
    from_last(profile.samples, [&](const Sample& sample) { write_sample(out, sample); });
    from_last(types_, [&](const TypeText& type) { write_type(out, 1, type); });
    return out.take();
  }

 private:
  TypeText text_of(const ValueType& type) { return {texts_.of(type.type), texts_.of(type.unit)}; }

  void add(uint64_t address) {
    if (addresses_.of(address) < locations_.size()) return;
    Location location{.address = address};
    const size_t mapping = names_.mapping_of(address);
    if (mapping < mappings_.size()) location.mapping = mapping + 1;
    const std::string_view name = names_.name_of(address);
    if (!name.empty()) {
      location.function = functions_.of(texts_.of(name)) + 1;
      mappings_[mapping].named = true;
    }
    locations_.push_back(location);
  }

  static void write_type(ReverseWriter& out, uint32_t number, const TypeText& type) {
    const size_t mark = out.size();
    out.varint_field(2, type.unit);
    out.varint_field(1, type.type);
    out.end_message(number, mark);
  }

  void write_functions(ReverseWriter& out) const {
    for (size_t i = functions_.all().size(); i > 0; --i) {
      const size_t mark = out.size();
      out.varint_field(3, functions_.all()[i - 1]);
      out.varint_field(2, functions_.all()[i - 1]);
      out.varint_field(1, i);
      out.end_message(5, mark);
    }
  }

  void write_locations(ReverseWriter& out) const {
    for (size_t i = locations_.size(); i > 0; --i) {
      const Location& location = locations_[i - 1];
      const size_t mark = out.size();
      if (location.function != 0) {
        const size_t line = out.size();
        out.varint_field(1, location.function);
        out.end_message(4, line);
      }
      out.varint_field(3, location.address);
      if (location.mapping != 0) out.varint_field(2, location.mapping);
      out.varint_field(1, i);
      out.end_message(4, mark);
    }
  }

  void write_mappings(ReverseWriter& out) const {
    for (size_t i = mappings_.size(); i > 0; --i) {
      const CodeMapping& code = names_.code()[i - 1];
      const size_t mark = out.size();
      if (mappings_[i - 1].named) out.varint_field(7, 1);
      out.varint_field(6, mappings_[i - 1].build_id);
      out.varint_field(5, mappings_[i - 1].file);
      out.varint_field(4, code.file_offset);
      out.varint_field(3, code.end);
      out.varint_field(2, code.begin);
      out.varint_field(1, i);
      out.end_message(3, mark);
    }
  }

  // Both lists are packed.
  void write_sample(ReverseWriter& out, const Sample& sample) {
    const size_t mark = out.size();
    size_t list = out.size();
    from_last(sample.values, [&](int64_t value) { out.varint(static_cast<uint64_t>(value)); });
    out.end_message(2, list);
    list = out.size();
    from_last(sample.stack, [&](uint64_t address) { out.varint(addresses_.of(address) + 1); });
    out.end_message(1, list);
    out.end_message(2, mark);
  }

  FunctionNames& names_;
  // Views into the profile and into `names_`.
  Places<std::string_view> texts_;
  Places<uint64_t> functions_;  // by the text of their name
  Places<uint64_t> addresses_;
  std::vector<Location> locations_;  // of addresses_
  std::vector<MappingText> mappings_;
  std::vector<TypeText> types_;
  TypeText period_type_;
  std::vector<uint64_t> comments_;
};

}  // namespace profile_encoding

std::string encode_profile(const Profile& profile, FunctionNames& names) {
  return profile_encoding::Tables(profile, names).write(profile);
}

}  // namespace proa::profile
