// The automata of `time` and `date-time`: hours and minutes, fractions, offsets, and leap seconds,
// each minute of the day with the one offset that makes it the last one in UTC.
//
// What formats are known by which name is string_formats_test.cc.
#include "frontend/json_schema/time_format.h"

#include <gtest/gtest.h>

#include <string>

namespace xgrammar::json_schema {
namespace {

std::string HourMinute(int minute) {
  const auto two = [](int value) {
    return std::string{static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10)};
  };
  return two(minute / 60) + ":" + two(minute % 60);
}

TEST(TimeFormat, OrdinaryTimes) {
  const CodePointDfa dfa = TimeFormatToDfa();
  for (const char* text :
       {"00:00:00Z", "23:59:59z", "19:30:05.5+23:59", "20:00:00.123-00:00", "09:59:59+09:00"})
    EXPECT_TRUE(dfa.Accepts(text)) << text;
  for (const char* text : {"24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:00", "12:00:00.Z",
                           "12:00:00+24:00", "12:00:00+1:00", "1:00:00Z", "12:00:00+12:60"})
    EXPECT_FALSE(dfa.Accepts(text)) << text;
}

TEST(TimeFormat, LeapSecondsEndTheDayInUtc) {
  constexpr int kDay = 24 * 60;
  const CodePointDfa dfa = TimeFormatToDfa();
  for (int minute = 0; minute < kDay; ++minute) {
    const std::string time = HourMinute(minute) + ":60";
    const int ahead = (minute + 1) % kDay;
    const int behind = kDay - 1 - minute;
    EXPECT_TRUE(dfa.Accepts(time + "+" + HourMinute(ahead))) << time;
    EXPECT_TRUE(dfa.Accepts(time + ".25-" + HourMinute(behind))) << time;
    EXPECT_FALSE(dfa.Accepts(time + "+" + HourMinute((ahead + 1) % kDay))) << time;
    EXPECT_FALSE(dfa.Accepts(time + "-" + HourMinute((behind + 60) % kDay))) << time;
    EXPECT_EQ(dfa.Accepts(time + "Z"), minute == kDay - 1) << time;
    EXPECT_EQ(dfa.Accepts(time + ".0z"), minute == kDay - 1) << time;
  }
}

TEST(TimeFormat, DateAndTime) {
  const CodePointDfa dfa = DateTimeFormatToDfa(FromStrings({"2016-12-31", "2017-01-01"}));
  for (const char* text : {"2016-12-31T23:59:60Z", "2017-01-01t00:59:60.5+01:00"})
    EXPECT_TRUE(dfa.Accepts(text)) << text;
  for (const char* text :
       {"2016-12-31", "2016-12-31 23:59:59Z", "2018-01-01T00:00:00Z", "T00:00:00Z"})
    EXPECT_FALSE(dfa.Accepts(text)) << text;
}

}  // namespace
}  // namespace xgrammar::json_schema
