#include "apiserver/streaming/html_links.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

// Puts "/p" before absolute paths.
std::string rewrite(std::string_view address) {
  return (address.starts_with('/') ? "/p" : "") + std::string(address);
}

std::string whole(std::string_view page) { return HtmlLinks(rewrite).pass(page, true); }

std::string byte_by_byte(std::string_view page) {
  HtmlLinks links(rewrite);
  std::string out;
  for (const char& c : page) out += links.pass({&c, 1}, false);
  return out + links.pass({}, true);
}

struct Case {
  std::string_view page;
  std::string_view rewritten;  // empty: as before
};

TEST(HtmlLinks, AreRewrittenWhereTheyStand) {
  for (const Case& c : {
           Case{R"(<a href="/rewriteme">test</a>)", R"(<a href="/p/rewriteme">test</a>)"},
           Case{R"(<A class=x HREF='/a' id=y>)", R"(<A class=x HREF='/p/a' id=y>)"},
           Case{"<a href=/a>x</a>", "<a href=/p/a>x</a>"},
           Case{"<a\nhref\t=\n/a/b title=/c>", "<a\nhref\t=\n/p/a/b title=/c>"},
           Case{R"(<img alt="a > b" src="/i.png"/>)", R"(<img alt="a > b" src="/p/i.png"/>)"},
           Case{R"(<video poster="/p1" src="/v">)", R"(<video poster="/p/p1" src="/p/v">)"},
           Case{R"(<script src="/s.js">if (a</b/) '<a href="/x">'</script><a href="/y">)",
                R"(<script src="/p/s.js">if (a</b/) '<a href="/x">'</script><a href="/p/y">)"},
           Case{R"(<style><a href="/x"></stylish></STYLE ><a href="/y">)",
                R"(<style><a href="/x"></stylish></STYLE ><a href="/p/y">)"},
           Case{R"(<!-- <a href="/x"> -- > --><a href="/y">)",
                R"(<!-- <a href="/x"> -- > --><a href="/p/y">)"},
           Case{R"(<!--><a href="/y">)", R"(<!--><a href="/p/y">)"},
           Case{R"(<!DOCTYPE html><base href="/">)", R"(<!DOCTYPE html><base href="/p/">)"},
           Case{R"(a << b <a href="/y">)", R"(a << b <a href="/p/y">)"},
           Case{R"(<link rel=stylesheet href="/a?b=1&amp;c">)",
                R"(<link rel=stylesheet href="/p/a?b=1&amp;c">)"},
       }) {
    EXPECT_EQ(whole(c.page), c.rewritten);
    EXPECT_EQ(byte_by_byte(c.page), c.rewritten);
  }
}

TEST(HtmlLinks, StayAsTheyAreElsewhere) {
  for (const std::string_view page :
       {R"(<a href="relative">)", R"(<a href="">)", R"(<a href>)", R"(<p href="/x">)",
        R"(<a data="/x" hrefs="/y" x-href=/z>)", R"(</a href="/x">)", R"(< a href="/x">)",
        R"(<abcdefghijklmnopqrstuvwxyz href="/x">)", R"(text "/x" href="/y")",
        R"(<a href="/cut off)", "<a href=/cut", "<a href=", "<a hr", "<", "<!", "<!--", "",
        R"(<textarea><a href="/x">)", R"(<a title="<a href='/x'>">)"}) {
    EXPECT_EQ(whole(page), page);
    EXPECT_EQ(byte_by_byte(page), page);
  }
}

TEST(HtmlLinks, HoldBackLittle) {
  HtmlLinks links(rewrite);
  const std::string begun = R"(<a href="/)";
  std::string out = links.pass(begun, false);
  const std::string more(1'000'000, 'x');
  out += links.pass(more, false);
  EXPECT_EQ(out.size(), begun.size() + more.size());
  EXPECT_EQ(links.pass(R"("><a href="/y">)", true), R"("><a href="/p/y">)");
}

}  // namespace
}  // namespace proa::apiserver
