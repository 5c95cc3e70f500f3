#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/remote/config_file.h"
#include "remote_support.h"
#include "support/temp.h"

static const char text[] = "; a comment\n"
			   "[default]\n"
			   "region=eu-west-1   # after a space\n"
			   "color = a#b;c\n"
			   "region_not = x\n"
			   "s3 =\n"
			   "    addressing_style = path\n"
			   "    endpoint_url=http://a=b\n"
			   "addressing_style = outer\n"
			   "[ profile two ]\r\n"
			   "region = eu-west-2\r\n"
			   "region = eu-west-3\r\n"
			   "no equal sign\n"
			   "[services s]\n"
			   "s3 = \n"
			   "\tendpoint_url = http://s";

static const char *find(const char *section, const char *name, const char *nested)
{
	static char value[20];
	struct tfr_buf b = { .data = (uint8_t *)(uintptr_t)text, .size = sizeof(text) - 1 };

	return tfr_config_find(&b, section, name, nested, value, sizeof(value)) ? value : "(none)";
}

Test(config_file, values)
{
	cr_expect_str_eq(find("default", "region", NULL), "eu-west-1");
	cr_expect_str_eq(find("default", "color", NULL), "a#b;c");
	cr_expect_str_eq(find("default", "s3", "addressing_style"), "path");
	cr_expect_str_eq(find("default", "s3", "endpoint_url"), "http://a=b");
	cr_expect_str_eq(find("default", "addressing_style", NULL), "outer");
	cr_expect_str_eq(find("default", "endpoint_url", NULL), "(none)");
	cr_expect_str_eq(find("profile two", "region", NULL), "eu-west-3");
	cr_expect_str_eq(find("two", "region", NULL), "(none)");
	cr_expect_str_eq(find("services s", "s3", "endpoint_url"), "http://s");
	cr_expect_str_eq(find("services s", "s3", NULL), "");
}

Test(config_file, a_value_that_is_too_long_is_not_cut)
{
	struct tfr_buf b = { .data = (uint8_t *)(uintptr_t)text, .size = sizeof(text) - 1 };
	char value[9];

	cr_assert_not(tfr_config_find(&b, "default", "region", NULL, value, sizeof(value)));
}

Test(config_file, a_profile_that_no_file_has)
{
	char *dir = temp_enter();
	struct tfr_aws_config c;
	struct tfr_error err = { 0 };

	clean_environment(dir);
	cr_assert_eq(tfr_aws_config_read(&c, &err), TFR_OK);
	tfr_aws_config_clear(&c);
	setenv("AWS_PROFILE", "missing", 1);
	cr_assert_eq(tfr_aws_config_read(&c, &err), TFR_EUSAGE);
	cr_assert_not_null(strstr(err.message, "'missing'"));
	temp_leave(dir);
}

Test(config_file, the_null_device_is_an_empty_file)
{
	char *dir = temp_enter();
	struct tfr_aws_config c;
	struct tfr_error err = { 0 };

	clean_environment(dir);
	setenv("AWS_CONFIG_FILE", "/dev/null", 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null", 1);
	cr_assert_eq(tfr_aws_config_read(&c, &err), TFR_OK, "%s", err.message);
	tfr_aws_config_clear(&c);
	/* A FIFO would have to be read twice, and opening it would wait. */
	mkfifo("fifo", 0600);
	setenv("AWS_CONFIG_FILE", "fifo", 1);
	cr_assert_eq(tfr_aws_config_read(&c, &err), TFR_EDATA);
	temp_leave(dir);
}
