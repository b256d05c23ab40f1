/** A statement that fails because of the value, which its error may print. */
export interface Failing {
  readonly name: string;
  readonly text: string;
  readonly values: (value: string) => readonly unknown[];
}

const failing = (name: string, text: string, values: Failing['values'] = (value) => [value]): Failing => ({
  name,
  text,
  values,
});

const insert = 'insert into people (id, email, age, code) values (?, ?, ?, ?)';

/** What every database refuses. Before the first, `taken` is stored. */
const everywhere = (taken: string): Failing[] => [
  failing('unique', insert, () => [2, taken, 1, 'a']),
  failing('not null', insert, (value) => [3, value, 1, null]),
  failing('check', insert, (value) => [4, value, 999, 'a']),
  failing('update', 'update people set email = ?, code = ? where id = 1', (value) => [value, null]),
  failing('foreign key', 'insert into letters (person, body) values (?, ?)', (value) => [987, value]),
  failing('no table', 'select * from missing where email = ?'),
  failing('no column', 'select nothing from people where email = ?'),
];

export const postgresTables = [
  'drop table if exists letters, people',
  'create table people (id int primary key, email text unique, age int constraint people_age check (age < 200), code varchar(12) not null)',
  'create table letters (person int references people, body text)',
  `create or replace function refuse(value text) returns text as $$ begin raise exception 'refused %', value; end $$ language plpgsql`,
];

export const postgresFailing = (taken: string): Failing[] => [
  ...everywhere(taken),
  failing('too long', 'insert into people values (5, null, 1, ?)'),
  failing('integer', 'select ?::text::int'),
  failing('out of range', "select ('9' || length(?::text) || '99999999999')::int"),
  failing('date', 'select ?::text::date'),
  failing('uuid', 'select ?::text::uuid'),
  failing('json', 'select ?::text::jsonb'),
  failing('json in parts', "select ('{\"a\": ' || ?::text || '}')::jsonb"),
  failing('array', "select ('{' || ?::text)::int[]"),
  failing('inet', 'select ?::text::inet'),
  failing('boolean', 'select ?::text::boolean'),
  failing('time zone', 'select now() at time zone ?::text'),
  failing('pattern', "select 'a' ~ ('(' || ?::text)"),
  failing('raised', 'select refuse(?::text)'),
  failing('to_date', "select to_date(?::text, 'YYYY')"),
];

export const mysqlTables = [
  'drop table if exists letters, people',
  'create table people (id int primary key, email varchar(200) unique, age int, code varchar(12) not null, constraint people_age check (age < 200))',
  'create table letters (person int, body text, constraint letters_person foreign key (person) references people (id))',
  'drop procedure if exists refuse',
  "create procedure refuse(given text) begin declare said text default concat('refused ', given); signal sqlstate '45000' set message_text = said; end",
];

export const mysqlFailing = (taken: string): Failing[] => [
  ...everywhere(taken),
  failing('too long', 'insert into people values (5, null, 1, ?)', (value) => [value.repeat(3)]),
  failing('integer', insert, (value) => [6, null, value, 'a']),
  failing('key that is no integer', insert, (value) => [value, null, 1, 'a']),
  failing(
    'truncated',
    'update people set age = age + 1 where id = ? + 0 and email = concat(1 / ?, 1)',
    (value) => [value, value],
  ),
  failing('date', 'insert into people (id, code) values (7, cast(? as date) + interval ? day)', (value) => [
    value,
    value,
  ]),
  failing('raised', 'call refuse(?)'),
];

export const sqliteTables = [
  'create table people (id integer primary key, email text unique, age int constraint people_age check (age < 200), code text not null)',
  'create table letters (person int references people, body text)',
];

export const sqliteFailing = (taken: string): Failing[] => [
  ...everywhere(taken).filter(({ name }) => name !== 'foreign key'),
  failing('key that is no integer', insert, (value) => [value, null, 1, 'a']),
  failing('json', 'select json(?)'),
];
