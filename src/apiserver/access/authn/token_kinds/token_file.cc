#include "apiserver/access/authn/token_kinds/token_file.h"

#include "base/log.h"
#include "base/strings.h"
#include "crypto/digest.h"

namespace proa::apiserver {
namespace token_file {

const Log kLog{"authn"};

using Record = std::vector<std::string>;

// Reads RFC 4180 records; like Go's encoding/csv, skips empty lines.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // The first line of the last record.
  size_t line() const { return first_line_; }
  // Nullopt at the end.
  Result<std::optional<Record>> next() {
    while (skip_line_end()) {
    }
    first_line_ = line_;
    if (text_.empty()) return std::optional<Record>();
    Record record;
    do {
      std::string field = TRY(take_field());
      record.push_back(std::move(field));
    } while (skip(","));
    if (!text_.empty() && !skip_line_end()) return wrong("unexpected text after a quoted field");
    return std::optional(std::move(record));
  }

 private:
  Status wrong(std::string_view why) const {
    return {Reason::kInvalid,
            "token file, line " + std::to_string(line_) + ": " + std::string(why)};
  }
  bool skip(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }
  bool skip_line_end() {
    if (!skip("\r\n") && !skip("\n")) return false;
    ++line_;
    return true;
  }
  Result<std::string> take_field() {
    if (skip("\"")) return take_quoted();
    const size_t end = std::min(text_.find_first_of(",\n"), text_.size());
    std::string field(text_.substr(0, end));
    // The carriage return belongs to the line ending.
    const bool ends_line = end < text_.size() && text_[end] == '\n';
    if (ends_line && field.ends_with('\r')) field.pop_back();
    if (field.find('"') != std::string::npos) return wrong("quote inside an unquoted field");
    text_.remove_prefix(field.size());
    return field;
  }
  Result<std::string> take_quoted() {
    std::string field;
    while (!text_.empty()) {
      if (skip("\"\"")) {
        field += '"';
      } else if (skip("\"")) {
        return field;
      } else {
        if (text_[0] == '\n') ++line_;
        field += text_[0];
        text_.remove_prefix(1);
      }
    }
    return wrong("unterminated quoted field");
  }

  std::string_view text_;
  size_t line_ = 1;
  size_t first_line_ = 1;
};

UserPtr user_of(const Record& record) {
  auto user = std::make_shared<User>();
  user->name = record[1];
  user->uid = record[2];
  if (record.size() < 4) return user;
  for (const std::string_view group : split(record[3], ',')) {
    if (!group.empty()) user->groups.emplace_back(group);
  }
  return user;
}

}  // namespace token_file

Result<std::unique_ptr<TokenFile>> TokenFile::parse(std::string_view text) {
  using namespace token_file;
  std::unique_ptr<TokenFile> file(new TokenFile);
  Reader reader(text);
  while (true) {
    const std::optional<Record> record = TRY(reader.next());
    if (!record) return file;
    const size_t line = reader.line();
    if (record->size() < 3) {
      return Status(Reason::kInvalid,
                    "token file, line " + std::to_string(line) +
                        ": there must be at least 3 columns (token, user name, user uid), found " +
                        std::to_string(record->size()));
    }
    if (record->front().empty()) {
      kLog.warn("token file line has no token, skipped", {{"line", line}});
      continue;
    }
    std::string hash = crypto::sha256(record->front()).str();
    if (file->users_.contains(hash)) {
      kLog.warn("duplicate token in token file, last one wins", {{"line", line}});
    }
    file->users_[std::move(hash)] = user_of(*record);
  }
}

Result<std::optional<TokenIdentity>> TokenFile::authenticate(std::string_view token,
                                                             std::span<const std::string>) {
  const auto found = users_.find(crypto::sha256(token).str());
  if (found == users_.end()) return std::optional<TokenIdentity>();
  return std::optional(TokenIdentity{.user = found->second, .audiences = {}});
}

}  // namespace proa::apiserver
